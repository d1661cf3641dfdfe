#include "estimator/measured_run.h"

#include "core/describe/error.h"

#include <algorithm>

namespace headroom::estimator {
namespace {

/// The first steps of a session touch memory and caches for the first time.
constexpr std::size_t kWarmUpSteps = 2;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void add_memory(const MemoryRecord& memory, MeasuredRun& run) {
  run.tensors = memory.tensors;
  run.allocated = memory.allocated;
  run.tensors_peak = memory.tensors_peak;
  run.allocated_peak = memory.allocated_peak;
  run.reserved_peak = memory.reserved_peak;
  run.device_peak = memory.device_peak - memory.device_start;
  run.fixed_parts = memory.fixed_parts;
  run.peak_phase = memory.peak_phase;
  run.peak_op = memory.peak_op;
}

}  // namespace

MeasuredRun measured_run(const std::vector<LogRecord>& records, const std::string& name) {
  MeasuredRun run;
  bool has_memory = false;
  std::vector<double> step_s, mfu;
  for (const LogRecord& record : records) {
    if (const auto* session = std::get_if<RunRecord>(&record)) {
      run.device = session->device;
      step_s.clear();
      mfu.clear();
    } else if (const auto* memory = std::get_if<MemoryRecord>(&record)) {
      add_memory(*memory, run);
      has_memory = true;
    } else if (const auto* step = std::get_if<StepRecord>(&record)) {
      step_s.push_back(step->step_s);
      if (step->mfu) mfu.push_back(*step->mfu);
      if (!run.first_loss) run.first_loss = step->loss;
      run.last_loss = step->loss;
    }
  }
  if (!has_memory) {
    throw Error(name + ": nothing has been measured yet (the log has no memory record)");
  }
  const auto steady = [](std::vector<double>& values) {
    if (values.size() > kWarmUpSteps) values.erase(values.begin(), values.begin() + kWarmUpSteps);
    return values.empty() ? std::optional<double>() : median(values);
  };
  if (const auto seconds = steady(step_s)) run.step_time = Seconds(*seconds);
  run.mfu = steady(mfu);
  return run;
}

}  // namespace headroom::estimator
