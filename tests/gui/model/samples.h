#pragma once

#include "core/describe/run_records.h"
#include "core/io/plan_yaml.h"
#include "core/io/run_log.h"
#include "estimator/estimate.h"
#include "gui/model/hardware_library.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headroom::test {

[[nodiscard]] inline std::filesystem::path shipped_plan(const std::string& name) {
  return std::filesystem::path(HEADROOM_SOURCE_DIR) / "configs/runs" / (name + ".yaml");
}

/// Plans of both families, with and without accumulation, clipping and odd sizes.
inline const std::vector<std::string> kShippedPlans = {
    "cruncher",   "cruncher-adamw", "cruncher-accumulation", "cruncher-clip", "mlp-digits-gelu",
    "mlp-linear", "mlp-odd"};

[[nodiscard]] inline const gui::HardwareLibrary& hardware() {
  static const gui::HardwareLibrary library = gui::HardwareLibrary::load();
  return library;
}

[[nodiscard]] inline estimator::Estimate estimate_directly(const Plan& plan) {
  return estimator::estimate(plan, hardware().hardware_of(plan), {.suggestions = false});
}

/// The memory record of a run whose ledger saw exactly what `estimate` says, `shift` bytes of
/// activations aside.
[[nodiscard]] inline MemoryRecord as_predicted(const estimator::Estimate& estimate,
                                               std::int64_t shift = 0) {
  const PlaceUsage& usage = estimate.device().usage;
  MemoryRecord memory;
  memory.step = 1;
  memory.tensors = usage.at_peak;
  memory.allocated = usage.allocated_at_peak;
  memory.tensors[Category::kActivations] += Bytes(shift);
  memory.allocated[Category::kActivations] += Bytes(shift);
  memory.tensors_peak = usage.tensors_peak + Bytes(shift);
  memory.allocated_peak = usage.allocated_peak + Bytes(shift);
  memory.reserved_peak = estimate.device().reserved + Bytes(shift);
  memory.device_start = Bytes(1000);
  memory.device_peak = Bytes(1000) + memory.reserved_peak + Bytes(4096) + Bytes(7);
  memory.fixed_parts = {{"program", Bytes(4096)}};
  memory.peak_phase = name(usage.peak_phase);
  memory.peak_op = usage.peak_op;
  return memory;
}

[[nodiscard]] inline StepRecord step_record(std::int64_t step, double loss) {
  StepRecord record;
  record.step = step;
  record.loss = loss;
  record.learning_rate = 0.01;
  record.step_s = 0.002;
  record.items_per_s = 64000;
  return record;
}

/// A run folder of a shipped plan on the processor, `steps` steps long.
inline void write_run(const std::filesystem::path& folder,
                      const std::string& plan_name,
                      int steps,
                      std::int64_t shift = 0) {
  std::filesystem::create_directories(folder);
  Plan plan = io::load_plan(shipped_plan(plan_name)).plan;
  plan.hardware.device = DeviceKind::kCpu;
  plan.hardware.gpu.clear();
  std::ofstream(folder / "plan.yaml") << io::write_plan_yaml(plan);
  io::RunLogWriter log(folder / "run.jsonl");
  log.append(RunRecord{.program = "headroom 0.1.0",
                       .time = "2026-05-01T10:00:00Z",
                       .model = std::string(model_type(plan.model)),
                       .device = "cpu",
                       .device_name = "test processor",
                       .data = "digits.csv",
                       .parameters = 16448,
                       .items_per_step = 128,
                       .item = "sample",
                       .first_step = 1,
                       .total_steps = steps,
                       .peak_flops_per_s = 1e11,
                       .peak_source = "a test"});
  for (int step = 1; step <= steps; ++step) {
    log.append(step_record(step, 2.3 / step));
    if (step == 1) log.append(as_predicted(estimate_directly(plan), shift));
  }
}

}  // namespace headroom::test
