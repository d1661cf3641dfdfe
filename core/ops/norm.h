#pragma once

#include "core/describe/op.h"

#include <memory>

namespace headroom::ops {

/// What layer norm and RMS norm share: y = (x - mean) * rstd * weight + bias over the last
/// dimension, where an RMS norm has neither mean nor bias, and rstd = 1 / sqrt(mean((x - mean)^2) +
/// eps). With `residual` the sum x + residual is what is normalised, and it is an output of its
/// own, for the next residual connection. Shapes: x (rows..., C) [, residual (rows..., C)], weight
/// (C) [, bias (C)]
///         -> y (rows..., C) [, sum (rows..., C)] [, mean (rows...)], rstd (rows...).
/// A weight shorter than x's last dimension, a whole number of times, norms each such stretch of it
/// on its own, as the heads of a query: (rows..., heads*C) with weight (C); statistics are then
/// (rows..., heads). Statistics are f64 for f64 inputs, otherwise f32, as is all arithmetic; a
/// result is rounded once, and what is normalised is the sum as it was rounded. Weight and bias may
/// be f32 where x has 16 bits; their gradients are in the statistics' type. Backward keeps the
/// normalised input, weight and statistics. The gradient of the normalised input is that of the
/// norm plus that of the output `sum`; x and residual both receive it. The sum may overwrite x or
/// residual, and y the other; input gradients may overwrite that of y, of the sum, and the saved
/// input. Gradients of weight and bias go through a fixed number of partial sums. FLOPs per
/// element: RMS forward 4, backward 12; the mean adds 4 and 3, the bias 1 and 1, the residual 1
/// and 1.
class Norm : public Op {
 public:
  struct Options {
    double eps = 1e-5;
    bool bias = true;       ///< layer norm only
    bool residual = false;  ///< the fused form
  };
  /// Positions of the operands; -1 where there is none.
  struct Inputs {
    int x, residual, weight, bias, count;
  };
  struct Outputs {
    int y, sum, mean, rstd, count;
  };

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] bool centered() const { return centered_; }
  [[nodiscard]] Inputs inputs() const;
  [[nodiscard]] Outputs output_positions() const;
  /// What is normed together: `rows` stretches of `columns` elements.
  struct Size {
    std::int64_t rows, columns;
  };
  [[nodiscard]] static Size size(const TensorType& x, const TensorType& weight) {
    const std::int64_t columns = weight.shape.numel();
    return {.rows = x.shape.numel() / columns, .columns = columns};
  }

  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes backward_workspace(std::span<const TensorType> inputs,
                                         GradientMask wanted) const override;
  [[nodiscard]] RecomputeCost recompute_cost() const override {
    return RecomputeCost::kElementwise;
  }
  /// The residual form's results are had again from the sum.
  [[nodiscard]] Recipe recipe(std::size_t output) const override;
  [[nodiscard]] InPlaceRules forward_in_place() const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t input_count,
                                               std::size_t output_count) const override;

 protected:
  /// `plain` is the same norm without a residual; none if this is it.
  Norm(bool centered, Options options, std::unique_ptr<Norm> plain)
      : centered_(centered), options_(options), plain_(std::move(plain)) {}

 private:
  bool centered_;
  Options options_;
  std::unique_ptr<Norm> plain_;
};

}  // namespace headroom::ops
