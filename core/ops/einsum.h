#pragma once

#include "core/describe/op.h"
#include "core/ops/einsum_plan.h"
#include "core/ops/pattern.h"

#include <string_view>

namespace headroom::ops {

/// Sums of products over named dimensions:
/// "batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2". With one input: a transposition, a
/// sum, or both. Dimensions that the output does not name are summed.
/// Shapes: as the pattern says. Backward reads both inputs (none if there is one only).
/// FLOPs: 2 per multiply-add of the matrix products; one per product where nothing is summed over
/// both inputs; one per addition where an input is summed on its own first.
/// Workspace: operands in another order or summed first, where the layout demands it.
/// Errors: ShapeError if the pattern does not parse, or does not fit the operands.
class Einsum final : public Op {
 public:
  static constexpr std::string_view kName = "einsum";

  explicit Einsum(std::string_view pattern) : pattern_(parse_pattern(kName, pattern)) {}
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes forward_workspace(std::span<const TensorType> inputs) const override;
  [[nodiscard]] Bytes backward_workspace(std::span<const TensorType> inputs,
                                         GradientMask wanted) const override;

  /// The einsum itself, and the one of the output's gradient with the other input that gives the
  /// gradient of input i. Inputs: the gradient, then the other input.
  [[nodiscard]] EinsumShape forward_shape(std::span<const TensorType> inputs) const;
  [[nodiscard]] EinsumShape gradient_shape(std::span<const TensorType> inputs, std::size_t i) const;

 private:
  Pattern pattern_;
};

}  // namespace headroom::ops
