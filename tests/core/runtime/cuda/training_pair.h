#pragma once

#include "core/describe/plan.h"
#include "core/runtime/device.h"
#include "core/runtime/executor.h"

#include <memory>
#include <string>
#include <vector>

namespace headroom::test {

/// A plan with a name to find it by in a report.
struct NamedPlan {
  std::string name;
  Plan plan;
};

/// Crunchers and mlps with every optimizer, activation and loss, with and without accumulation,
/// clipping and bias, in sizes that no vector width divides.
[[nodiscard]] std::vector<NamedPlan> training_plans();

/// One training run on one device, on seeded batches that depend on the micro batch's number alone.
class Training final : public runtime::BatchSource {
 public:
  /// Places and initialises everything. The device must outlive it.
  Training(const Plan& plan, runtime::Device& device, DType dtype);

  /// Runs the next step and returns its loss.
  double step();
  /// All parameters and then all optimizer states, each as numbers.
  [[nodiscard]] std::vector<std::vector<double>> values() const;

  [[nodiscard]] const Step& described() const { return step_; }
  [[nodiscard]] const runtime::Ledger& ledger() const { return *ledger_; }
  [[nodiscard]] const runtime::Executor& executor() const { return *executor_; }

  void acquire(std::int64_t micro, int slot) override;
  void release(std::int64_t micro, int slot) override;

 private:
  Plan plan_;
  Step step_;
  ArenaPlan arena_;
  std::unique_ptr<runtime::Ledger> ledger_;
  std::unique_ptr<runtime::Executor> executor_;
  std::int64_t steps_ = 0;
};

/// Trains a plan on the CPU and on `device` and checks that losses, norms, parameters and states
/// agree to `tolerance`, relative to the largest value of each tensor.
void check_agreement(
    const NamedPlan& named, runtime::Device& device, DType dtype, int steps, double tolerance);

}  // namespace headroom::test
