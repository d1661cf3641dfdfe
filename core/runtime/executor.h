#pragma once

#include "core/describe/arena_plan.h"
#include "core/runtime/arena.h"
#include "core/runtime/kernel_context.h"
#include "core/runtime/ledger.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headroom::runtime {

/// Where batches come from. The buffers are the executor's (Executor::batch_buffers).
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// Returns once the slot's buffers hold micro batch number `micro` (counted over the run).
  virtual void acquire(std::int64_t micro, int slot) = 0;
  /// The slot's buffers may be filled again, with micro batch `micro` + number of slots.
  virtual void release(std::int64_t micro, int slot) = 0;
};

/// The loss stopped being a finite number.
class Diverged : public Error {
 public:
  Diverged(std::int64_t step, double loss);
  explicit Diverged(const std::string& message) : Error(message, ExitCode::kDiverged) {}
};

/// What one step produced.
struct StepResult {
  double loss = 0;       ///< mean over the step's micro batches
  double grad_norm = 0;  ///< global norm before clipping, without loss scale; 0 unless computed
  bool skipped = false;  ///< a gradient overflowed under the loss scale: nothing was updated
};

/// Runs a step on a device: places every tensor where the plan says, calls the kernels in order
/// and keeps the ledger. Allocates only in its constructor and during the first step.
/// The step, plan, device and ledger must outlive it. Not thread safe.
class Executor {
 public:
  Executor(const Step& step, const ArenaPlan& plan, Device& device, Ledger& ledger);

  /// Fills parameters by their initializers (a function of seed and tensor name) and optimizer
  /// states with zero.
  void initialise(std::uint64_t seed);

  /// Runs step number `scalars.step`. Errors: Diverged; on a CPU before any parameter of this
  /// step has changed.
  StepResult run_step(const Scalars& scalars, BatchSource& batches);

  /// Loss of one micro batch without gradients, in the memory of the training step; between steps.
  /// `inputs`: host memory of every input, in order. The step must have evaluation inputs.
  [[nodiscard]] double evaluate(std::span<const std::span<const std::byte>> inputs);

  /// Host memory that the batch source fills, per slot and input.
  [[nodiscard]] std::vector<std::vector<void*>> batch_buffers() const;

  /// Copies bytes of a run-lifetime tensor, from `offset` on, to or from host memory.
  void read_tensor(TensorId id, std::uint64_t offset, std::span<std::byte> to) const;
  void write_tensor(TensorId id, std::uint64_t offset, std::span<const std::byte> from);

  [[nodiscard]] const Step& step() const { return step_; }
  /// Bytes of all arenas on the device.
  [[nodiscard]] Bytes reserved() const { return run_.size() + step_arena_.size(); }
  /// Bytes of pinned host memory.
  [[nodiscard]] Bytes host_reserved() const { return host_.size(); }

 private:
  struct CompiledCall {
    const OpCall* call = nullptr;
    KernelFunction kernel = nullptr;
    std::vector<TensorId> last_uses;  ///< step tensors that nobody needs after this call
  };
  class Observer;
  /// The slot of `pointer` that stands for the evaluation inputs.
  static constexpr int kEvaluationSlot = -1;

  void compile();
  void find_last_uses();
  void compile_evaluation();
  void run_call(const CompiledCall& compiled, const Scalars& scalars, int slot);
  void end_of_life(TensorId id, const OpCall& call);
  void begin_life(TensorId id, Bytes payload, const OpCall& call);
  [[nodiscard]] bool is_step_tensor(TensorId id) const;
  [[nodiscard]] void* pointer(TensorId id, int slot) const;
  void upload(std::int64_t micro, BatchSource& batches);
  [[nodiscard]] double read_scalar(TensorId id) const;

  const Step& step_;
  Device& device_;
  Ledger& ledger_;
  Arena run_, step_arena_, host_;
  std::vector<void*> pointers_;
  std::vector<std::int32_t> input_index_;  ///< per tensor: position among the inputs, or -1
  std::vector<std::vector<CompiledCall>> sections_;
  std::vector<OpCall> evaluation_calls_;  ///< the forward pass alone
  std::int64_t micro_ = 0;                ///< micro batches run so far
  std::int64_t uploaded_ = 0;             ///< micro batches whose upload has been issued
  bool first_step_ = true;
};

}  // namespace headroom::runtime
