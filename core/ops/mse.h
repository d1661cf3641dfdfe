#pragma once

#include "core/describe/op.h"

namespace headroom::ops {

/// loss = scale * mean((prediction - target)^2).
/// Shapes: prediction and target of the same number of elements, in the same order -> scalar.
/// `scale` is 1 / accumulation, so that the step's loss and gradients are means over the whole
/// step. The gradient flows to the prediction only: 2 scale (prediction - target) / n.
class MeanSquaredError final : public Op {
 public:
  static constexpr std::string_view kName = "mse";
  enum Input : std::uint8_t { kPrediction, kTarget };
  explicit MeanSquaredError(double scale) : scale_(scale) {}
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes forward_workspace(std::span<const TensorType> inputs) const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t, std::size_t) const override;
  [[nodiscard]] bool differentiable(std::size_t input) const override {
    return input == kPrediction;
  }

 private:
  double scale_;
};

}  // namespace headroom::ops
