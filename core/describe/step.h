#pragma once

#include "core/describe/graph.h"
#include "core/describe/recompute_plan.h"
#include "core/describe/update_rule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace headroom {

/// One call in a step. Positions in `reads` and `writes` are the op's contract with its kernels:
///   forward   reads = inputs                               writes = outputs
///   backward  reads = inputs, outputs, output gradients    writes = input gradients
///   forward+backward   reads = inputs                      writes = outputs, input gradients
///   update    reads = gradient [, squared norm]            writes = parameter, states [, master]
///             (all of them in place)
/// An operand that was not declared (not saved, not wanted) is none().
struct OpCall {
  const Operation* op = nullptr;
  Pass pass = Pass::kForward;
  Phase phase = Phase::kForward;
  TensorIds reads, writes;
  bool recompute = false;        ///< a forward call that backward repeats
  std::uint32_t accumulate = 0;  ///< bit i: writes[i] already holds a value and is added to
  TensorId workspace;
  InPlaceRules in_place;  ///< resolved: the write takes over the storage of the read
  SmallList<TensorId, kMaxOperands> operands;  ///< forward inputs; their types stay known
  [[nodiscard]] bool accumulates(std::size_t write) const {
    return ((accumulate >> write) & 1U) != 0;
  }
};

/// Calls that run `repeat` times in a row with the same memory.
struct Section {
  std::vector<OpCall> calls;
  std::int64_t repeat = 1;
};

/// How the graph of one micro batch becomes a step.
struct StepOptions {
  std::int64_t accumulation = 1;      ///< micro batches per optimizer step
  bool optimizer_in_backward = true;  ///< update each parameter as soon as its gradient is complete
  RecomputePlan recompute;            ///< what backward computes again
  bool master_parameters = false;     ///< an f32 copy of every 16-bit parameter
  bool grad_norm = false;             ///< the global norm is needed although nothing is clipped
  double grad_clip_norm = 0;   ///< 0: off; otherwise all gradients live until the norm is known
  bool evaluation = false;     ///< one more batch, for losses without gradients
  int input_slots = 2;         ///< batches held at once, so that loading overlaps computing
  bool staged_inputs = false;  ///< also a pinned host copy of each slot (GPU)
  Bytes matmul_workspace{0};   ///< one scratch buffer shared by all matrix products (GPU)
};

/// One training step of one model: every tensor, every call, in order.
struct Step {
  std::vector<TensorInfo> tensors;
  std::vector<Section> sections;
  std::vector<TensorId> parameters;
  /// Per parameter: the rule's states in its order, then the f32 master copy if there is one.
  std::vector<std::vector<TensorId>> states;
  std::vector<std::vector<TensorId>> input_slots;  ///< [slot][input]
  std::vector<std::vector<TensorId>> staging;      ///< [slot][input], empty unless staged
  std::vector<TensorId> evaluation_inputs;         ///< [input], empty unless asked for
  TensorId loss;                                   ///< mean over the whole step
  std::optional<TensorId> squared_norm;            ///< of all gradients, when clipping
  std::optional<TensorId> matmul_workspace;
  std::int64_t accumulation = 1;
  std::int64_t parameter_count = 0;
  std::vector<std::unique_ptr<Operation>> operations;

  [[nodiscard]] const TensorInfo& tensor(TensorId id) const { return tensors[id.at()]; }
  [[nodiscard]] Bytes bytes(TensorId id) const { return tensor(id).type.bytes(); }
};

/// Adds backward calls, accumulation, updates and in-place decisions to a model's graph.
/// Gradients of activations and parameters that are used more than once are added up.
/// Errors: ShapeError if the graph has no loss, or if an op that fuses its backward pass does not
/// make the loss.
[[nodiscard]] Step make_step(Graph graph,
                             std::unique_ptr<UpdateRule> rule,
                             const StepOptions& options);

/// The forward pass of a graph alone, run by Executor::evaluate. `result` outlives it.
[[nodiscard]] Step make_forward_step(Graph graph, TensorId result, const StepOptions& options);

/// Which tensors begin and end at each call of a section.
struct CallLiveness {
  std::uint32_t born = 0;                      ///< bit i: writes[i] begins here
  SmallList<TensorId, 3 * kMaxOperands> dies;  ///< last used here (never run-lifetime tensors)
};
/// Liveness of every call, section by section; derived from the calls alone.
[[nodiscard]] std::vector<std::vector<CallLiveness>> liveness(const Step& step);

}  // namespace headroom
