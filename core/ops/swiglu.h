#pragma once

#include "core/describe/op.h"

namespace headroom::ops {

/// y = silu(gate) * up, element by element: the gated activation of a Llama block.
/// Shapes: gate, up (rows..., F), equal -> y of the same shape.
/// Backward keeps gate and up; either gradient may overwrite its own operand or that of y.
/// FLOPs per element: forward 6; backward 10 for gate, 6 for up, 12 for both.
/// Source: Shazeer 2020, "GLU variants improve transformer".
class SwiGlu final : public Op {
 public:
  static constexpr std::string_view kName = "swiglu";
  enum Input : std::uint8_t { kGate, kUp };

  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] RecomputeCost recompute_cost() const override {
    return RecomputeCost::kElementwise;
  }
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t input_count,
                                               std::size_t output_count) const override;
};

}  // namespace headroom::ops
