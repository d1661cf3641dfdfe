#pragma once

#include "core/describe/small_list.h"
#include "core/describe/tensor.h"
#include "core/describe/work.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headroom {

/// What a call of an operation does. kForwardBackward: result and input gradients in one call, by
/// an op that fuses its backward pass.
enum class Pass : std::uint8_t { kForward, kBackward, kForwardBackward, kUpdate };
[[nodiscard]] std::string_view name(Pass pass);

/// Anything that can stand in a step's list of calls: an op or an optimizer's update rule.
/// The name is the key under which each device registers its kernels.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
};

/// One output of an op.
struct OutputSpec {
  TensorType type;
  bool statistic = false;  ///< kept only for the backward pass (log-sum-exp, mask, ...)
};
using OutputSpecs = SmallList<OutputSpec, kMaxOperands>;

/// Which operands the backward pass reads, by position. The runtime hands backward nothing else.
struct SavedOperands {
  SmallList<int, kMaxOperands> inputs;
  SmallList<int, kMaxOperands> outputs;
};

/// Which input gradients a backward call is asked for: bit i stands for input i.
using GradientMask = std::uint32_t;
constexpr bool wants(GradientMask mask, std::size_t input) { return ((mask >> input) & 1U) != 0; }

/// A tensor that may take over another's storage when that one is not needed afterwards.
/// `write` and `read` count the positions within the call's writes and reads (see OpCall).
struct InPlace {
  int write = -1;
  int read = -1;
};
using InPlaceRules = SmallList<InPlace, 4>;

class Op;

/// What having a result again costs, beside the result's own size.
enum class RecomputeCost : std::uint8_t { kElementwise, kAttention, kMatmul };

/// How the outputs of a call can be had again in backward from operands that are still there.
struct Recipe {
  const Op* op = nullptr;
  SmallList<int, kMaxOperands> operands;  ///< positions: the call's inputs, then its outputs
  SmallList<int, kMaxOperands> outputs;   ///< which output of the call each output of `op` is
};

/// The one description of an op. The engine runs by it, the estimator counts by it.
/// Attributes (bias, kind, equation, ...) are members of the derived class.
class Op : public Operation {
 public:
  /// Types of the outputs: results first, then statistics.
  /// Errors: ShapeError `[op] what: got (...) expected (...)`.
  [[nodiscard]] virtual OutputSpecs outputs(std::span<const TensorType> inputs) const = 0;
  [[nodiscard]] virtual SavedOperands saved() const = 0;

  /// FLOPs and bytes of the forward pass.
  [[nodiscard]] virtual Work forward_work(std::span<const TensorType> inputs) const = 0;
  /// FLOPs and bytes of the backward pass, for the gradients asked for. Two matrix products of
  /// different shape in one call give two entries.
  [[nodiscard]] virtual SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                         GradientMask wanted) const = 0;

  /// Scratch that lives only during the call. A forward-and-backward call takes the backward one.
  [[nodiscard]] virtual Bytes forward_workspace(std::span<const TensorType>) const {
    return Bytes(0);
  }
  [[nodiscard]] virtual Bytes backward_workspace(std::span<const TensorType>, GradientMask) const {
    return Bytes(0);
  }

  /// Which outputs may overwrite which inputs. Reads of a forward call: the inputs.
  [[nodiscard]] virtual InPlaceRules forward_in_place() const { return {}; }
  /// Which input gradients may overwrite what the backward call reads. Reads of a backward call:
  /// inputs (first n), then outputs, then output gradients. `write` counts input gradients.
  [[nodiscard]] virtual InPlaceRules backward_in_place(std::size_t /*input_count*/,
                                                       std::size_t /*output_count*/) const {
    return {};
  }
  /// Which recompute policies drop the results of this op.
  [[nodiscard]] virtual RecomputeCost recompute_cost() const { return RecomputeCost::kMatmul; }
  /// A cheaper way to `output` than the whole call, or nothing: the call is run again.
  [[nodiscard]] virtual Recipe recipe(std::size_t /*output*/) const { return {}; }
  /// False for integer operands such as class labels: no gradient flows to them.
  [[nodiscard]] virtual bool differentiable(std::size_t /*input*/) const { return true; }
  /// True for a loss that computes its gradients together with its result: a training step calls it
  /// once, with Pass::kForwardBackward, and it has no kernel for Pass::kBackward.
  [[nodiscard]] virtual bool fuses_backward() const { return false; }
};

/// Shorthand for ShapeError's message form.
[[nodiscard]] std::string shape_message(std::string_view op,
                                        std::string_view what,
                                        const std::string& got,
                                        const std::string& expected);

}  // namespace headroom
