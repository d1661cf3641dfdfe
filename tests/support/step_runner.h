#pragma once

#include "core/describe/arena_plan.h"
#include "core/describe/step.h"
#include "core/runtime/executor.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace headroom::test {

/// Numbers as the bytes of a tensor of `dtype` (f64, f32, bf16, f16 or i32), and back.
[[nodiscard]] std::vector<std::byte> to_bytes(DType dtype, const std::vector<double>& values);
[[nodiscard]] std::vector<double> from_bytes(DType dtype, const std::vector<std::byte>& bytes);

/// A step on the CPU device with everything around it: runs it on given values and shows its
/// run-lifetime tensors. Batches are what was last given to set_batches, one set per micro batch.
class StepRunner final : public runtime::BatchSource {
 public:
  /// On the CPU device.
  explicit StepRunner(Step step, int threads = 1, bool strict = true);
  StepRunner(Step step, std::unique_ptr<runtime::Device> device);

  [[nodiscard]] const Step& step() const { return step_; }
  [[nodiscard]] const runtime::Ledger& ledger() const { return *ledger_; }
  void set(TensorId id, const std::vector<double>& values);
  [[nodiscard]] std::vector<double> get(TensorId id) const;
  /// State `s` of parameter `p`.
  [[nodiscard]] std::vector<double> state(std::size_t p, std::size_t s) const {
    return get(step_.states[p][s]);
  }
  /// [micro][input] values for the micro batches of the next steps; starts over at the end.
  void set_batches(std::vector<std::vector<std::vector<double>>> batches);
  runtime::StepResult run(const runtime::Scalars& scalars);

  void acquire(std::int64_t micro, int slot) override;
  void release(std::int64_t micro, int slot) override;

 private:
  Step step_;
  ArenaPlan plan_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::Ledger> ledger_;
  std::unique_ptr<runtime::Executor> executor_;
  std::vector<std::vector<std::vector<double>>> batches_;
};

}  // namespace headroom::test
