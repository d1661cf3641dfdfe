#pragma once

#include "core/describe/op.h"

namespace headroom::ops {

/// loss = scale * mean over rows of (log sum_j exp(logits_j) - logits_target): softmax and negative
/// log-likelihood in one, so that no probabilities are ever stored.
/// Shapes: logits (rows..., classes), target (rows...) i32 -> scalar, log-sum-exp (rows...).
/// `scale` is 1 / accumulation, as in mse.h. The log-sum-exp (f64 for f64 logits, otherwise f32) is
/// a statistic: no gradient flows through it. A target outside [0, classes) makes the loss NaN.
/// Backward: scale / rows * (exp(logits - lse) - onehot(target)), written over the logits where
/// nobody else needs them.
/// FLOPs: forward 4 per logit (compare, subtract, exp, add) and 4 per row; backward 4 per logit.
class CrossEntropy final : public Op {
 public:
  static constexpr std::string_view kName = "cross_entropy";
  enum Input : std::uint8_t { kLogits, kTarget };
  enum Output : std::uint8_t { kLoss, kLogSumExp };

  explicit CrossEntropy(double scale) : scale_(scale) {}
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes forward_workspace(std::span<const TensorType> inputs) const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t input_count,
                                               std::size_t output_count) const override;
  [[nodiscard]] bool differentiable(std::size_t input) const override { return input == kLogits; }

 private:
  double scale_;
};

}  // namespace headroom::ops
