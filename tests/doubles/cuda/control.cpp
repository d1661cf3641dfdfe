#include "tests/doubles/cuda/api.h"
#include "tests/doubles/cuda/cuda_double.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

using headroom::cuda_double::Runtime;
using headroom::cuda_double::runtime;

namespace {

std::string& configure_error() {
  thread_local std::string text;
  return text;
}

}  // namespace

extern "C" {

cuda_double_counters_t cuda_double_counters() {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  cuda_double_counters_t counters = rt.counters;
  counters.outstanding = rt.scheduler->outstanding();
  return counters;
}

size_t cuda_double_violation_count() {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  return rt.violations.size();
}

const char* cuda_double_violation(size_t index) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  return index < rt.violations.size() ? rt.violations[index].c_str() : "";
}

void cuda_double_clear_violations() {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  rt.violations.clear();
  rt.counters.violations = 0;
}

size_t cuda_double_leaks(char* text, size_t size) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  const auto lines = headroom::cuda_double::leaks();
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  if (text != nullptr && size > 0) {
    const size_t count = std::min(size - 1, all.size());
    std::memcpy(text, all.data(), count);
    text[count] = '\0';
  }
  return lines.size();
}

int cuda_double_configure(const char* spec) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  try {
    const auto next = headroom::cuda_double::parse_config(rt.config, spec == nullptr ? "" : spec);
    rt.memory->reconfigure(next);
    rt.config = next;
  } catch (const std::invalid_argument& error) {
    configure_error() = error.what();
    return -1;
  }
  return 0;
}

const char* cuda_double_configure_error() { return configure_error().c_str(); }

void cuda_double_reset() {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  rt.reset();
  headroom::cuda_double::thread_state() = {};
}

}  // extern "C"
