#pragma once

#include "core/describe/plan.h"
#include "tests/support/reference.h"
#include "tests/support/step_runner.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headroom::test {

/// A model of tests/reference and what is trained on it.
struct ReferenceModel {
  std::string name;
  Plan plan;  ///< the model, its micro batch and how it is trained; no optimizer
  const nlohmann::json* parameters = nullptr;
  std::vector<std::vector<std::vector<double>>> batches;  ///< [micro][x, target]
};

/// The `x` and `target` tables of a reference file, by micro batch.
[[nodiscard]] std::vector<std::vector<std::vector<double>>> batches_of(
    const nlohmann::json& reference);

/// A runner of the plan that starts from the reference's parameters.
[[nodiscard]] std::unique_ptr<StepRunner> start(const ReferenceModel& model,
                                                const Plan& plan,
                                                DType dtype);
/// The model's plan with an optimizer and accumulation.
[[nodiscard]] Plan plan_of(const ReferenceModel& model,
                           const OptimizerPlan& optimizer,
                           std::int64_t accumulation);

/// What some steps of training gave.
struct RunOutcome {
  std::vector<double> losses, norms;
  std::vector<std::vector<double>> parameters;
  friend bool operator==(const RunOutcome&, const RunOutcome&) = default;
};
[[nodiscard]] RunOutcome train(StepRunner& runner, const Plan& plan, std::size_t steps);

/// Loss and gradients of the first step, and whole runs, in f64 and f32, against PyTorch's.
void check_reference_runs(const ReferenceModel& model, const nlohmann::json& node);

}  // namespace headroom::test
