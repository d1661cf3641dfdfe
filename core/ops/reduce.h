#pragma once

#include "core/describe/op.h"
#include "core/ops/pattern.h"
#include "core/ops/reduce_plan.h"

#include <string_view>

namespace headroom::ops {

enum class Reduction : std::uint8_t { kSum, kMean, kMax };
[[nodiscard]] std::string_view name(Reduction reduction);

/// Sum, mean or maximum over the dimensions that the output does not name:
/// "batch seq hidden -> batch hidden". The output may name the rest in any order.
/// Shapes: x as the pattern's input -> y as its output.
/// Sum and mean keep nothing for backward; max keeps x and y, and equal maxima share the gradient
/// evenly, as torch.amax does. A NaN among the values is the maximum.
/// FLOPs (x and y elements n, m): sum and max n - m, mean n; backward sum 0, mean n, max 4 n.
/// Errors: ShapeError if the pattern does not parse, has two inputs, or does not fit x. Error from
/// the kernel if a maximum is the loss of a step that accumulates: backward needs each one on its
/// own, and the loss holds their sum.
class Reduce final : public Op {
 public:
  static constexpr std::string_view kName = "reduce";

  Reduce(std::string_view pattern, Reduction reduction);
  [[nodiscard]] Reduction reduction() const { return reduction_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes backward_workspace(std::span<const TensorType> inputs,
                                         GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t input_count,
                                               std::size_t output_count) const override;

  /// x's dimensions and where they go in y, for plan_reduce and plan_expand.
  [[nodiscard]] SmallList<ReducedDim, Shape::kMaxRank> dims(const TensorType& x) const;

 private:
  Pattern pattern_;
  Reduction reduction_;
};

}  // namespace headroom::ops
