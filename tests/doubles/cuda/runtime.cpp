#include "tests/doubles/cuda/runtime.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace headroom::cuda_double {
namespace {

void report() {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  if (!rt.config.report_at_exit) return;
  for (const std::string& line : rt.violations) {
    std::fprintf(stderr, "cuda double: violation: %s\n", line.c_str());
  }
  for (const std::string& line : leaks()) {
    std::fprintf(stderr, "cuda double: still alive: %s\n", line.c_str());
  }
}

}  // namespace

Runtime::Runtime() {
  reset();
  std::atexit(report);
}

void Runtime::reset() {
  scheduler.reset();
  memory.reset();
  config = config_from_environment();
  memory = std::make_unique<Memory>(config);
  scheduler = std::make_unique<Scheduler>(config, *memory);
  counters = {};
  violations.clear();
  lt_objects = {};
}

Runtime& runtime() {
  static Runtime* const instance = new Runtime;
  return *instance;
}

void violate(std::string what) {
  Runtime& rt = runtime();
  if (rt.config.abort_on_violation) {
    std::fprintf(stderr, "cuda double: violation: %s\n", what.c_str());
    std::abort();
  }
  rt.violations.push_back(std::move(what));
  rt.counters.violations = rt.violations.size();
}

std::vector<std::string> leaks() {
  const Runtime& rt = runtime();
  std::vector<std::string> lines;
  for (const auto& [base, allocation] : rt.memory->live()) lines.push_back(to_string(allocation));
  for (std::string& line : rt.scheduler->alive()) lines.push_back(std::move(line));
  if (rt.lt_objects.count() > 0) {
    lines.push_back(std::to_string(rt.lt_objects.count()) + " cuBLASLt handles or descriptors");
  }
  return lines;
}

}  // namespace headroom::cuda_double
