#pragma once

#include "core/describe/op.h"

namespace headroom::ops {

/// How a weight matrix is stored: as in `x @ weight`, or as PyTorch's nn.Linear does.
enum class WeightLayout : std::uint8_t { kInOut, kOutIn };

/// y = x W + b over the last dimension of x.
/// Shapes: x (..., in), W (in, out) or (out, in), b (out) -> y (..., out).
///         With `squeeze`, `out` must be 1 and y loses its last dimension.
/// Backward reads x and W; dx may overwrite x, since dW is computed first.
/// FLOPs: forward 2 r in out (+ r out for the bias), r = rows of x; dW and dx each 2 r in out.
/// One output feature is a matrix-vector product: it is bound by memory and bypasses sgemm.
class Linear final : public Op {
 public:
  struct Options {
    bool bias = false;
    WeightLayout layout = WeightLayout::kInOut;
    bool squeeze = false;
  };
  static constexpr std::string_view kName = "linear";
  enum Input : std::uint8_t { kX, kWeight, kBias };

  explicit Linear(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes backward_workspace(std::span<const TensorType> inputs,
                                         GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t, std::size_t) const override;

  /// Sizes that description and kernels share.
  struct Size {
    std::int64_t rows, in, out;
  };
  [[nodiscard]] Size size(const TensorType& x, const TensorType& weight) const;

 private:
  Options options_;
};

}  // namespace headroom::ops
