#pragma once

#include "core/describe/op.h"

namespace headroom::ops {

/// y = a + b. Shapes: a and b alike -> the same.
/// Keeps nothing. y may overwrite either input; a gradient may overwrite dy.
/// FLOPs per element: forward 1, backward 0 (gradients are copies).
/// Errors: ShapeError if shapes or dtypes differ.
class Add final : public Op {
 public:
  static constexpr std::string_view kName = "add";
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override { return {}; }
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules forward_in_place() const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t input_count,
                                               std::size_t output_count) const override;
};

/// y = a * b, element by element. Shapes: a and b alike -> the same.
/// Keeps a and b. All of da = dy b and db = dy a is computed in one pass, so that either may
/// overwrite dy or its own input.
/// FLOPs per element: forward 1, backward 1 per gradient.
/// Errors: ShapeError if shapes or dtypes differ.
class Mul final : public Op {
 public:
  static constexpr std::string_view kName = "mul";
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override { return {.inputs = {0, 1}, .outputs = {}}; }
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules forward_in_place() const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t input_count,
                                               std::size_t output_count) const override;
};

}  // namespace headroom::ops
