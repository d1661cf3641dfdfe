#pragma once

#include "core/describe/op.h"

namespace headroom::ops {

/// A language model's head and its loss in one: logits = hidden weight^T, then softmax
/// cross-entropy, a chunk of rows at a time, so that the logits of a whole batch never exist.
///   loss = scale / valid * sum over rows with a target of (log sum_j exp(logits_j) -
///   logits_target)
/// Shapes: hidden (rows..., width), weight (vocabulary, width), target (rows...) i32
///         [, valid scalar f32] -> scalar (f64 for f64 operands, otherwise f32).
/// `valid` is the number of rows that have a target: those of this call, or, where the fourth
/// operand is there, what that says: the targets of a whole step, whose micro batches then weigh as
/// many targets as they have. With no target at all the loss and its gradients are 0.
/// A target of `ignored` is none; any other outside [0, classes) makes the loss NaN. Rows of the
/// weight from `classes` on pad the vocabulary: they take part in nothing and their gradient is 0.
/// Backward runs with forward, chunk by chunk, since only a chunk's logits are there: the same
/// three matrix products as apart, no more. The gradient of hidden may overwrite hidden. Of 16-bit
/// operands logits are f32 and their gradients, which are multiplied with the operands, 16 bits
/// wide. FLOPs: three products of 2 rows vocabulary width; forward 4 per logit (compare, subtract,
/// exp, add) and 4 per row, backward 1 per logit and 1 per row.
class HeadCrossEntropy final : public Op {
 public:
  struct Options {
    double scale = 1;             ///< 1 / accumulation, as in mse.h, where `valid` is not given
    bool valid_given = false;     ///< whether there is a fourth operand
    std::int64_t classes = 0;     ///< real rows of the weight; 0: all
    std::int32_t ignored = -100;  ///< the target that is none
  };
  static constexpr std::string_view kName = "head_cross_entropy";
  enum Input : std::uint8_t { kHidden, kWeight, kTarget, kValid };

  explicit HeadCrossEntropy(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override { return {}; }
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes forward_workspace(std::span<const TensorType> inputs) const override;
  [[nodiscard]] Bytes backward_workspace(std::span<const TensorType> inputs,
                                         GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t, std::size_t) const override;
  [[nodiscard]] bool differentiable(std::size_t input) const override {
    return input == kHidden || input == kWeight;
  }
  [[nodiscard]] bool fuses_backward() const override { return true; }

  /// Sizes that description and kernels share.
  struct Size {
    std::int64_t rows, width, vocabulary, classes;
    std::int64_t chunk;   ///< rows whose logits exist at a time
    std::int64_t stride;  ///< elements from one row of logits to the next
    [[nodiscard]] std::int64_t chunks() const { return (rows + chunk - 1) / chunk; }
  };
  [[nodiscard]] Size size(const TensorType& hidden, const TensorType& weight) const;

  /// Where things lie in the workspace, in bytes.
  struct Layout {
    std::int64_t gradients;  ///< of the logits; 0 where they take the logits' place
    std::int64_t losses;     ///< one per row
    std::int64_t factor;     ///< that all losses are multiplied by
    Bytes total;
  };
  /// Errors: ShapeError past 2^63 - 1.
  [[nodiscard]] static Layout layout(const Size& size, DType dtype);

 private:
  Options options_;
};

}  // namespace headroom::ops
