#pragma once

#include "core/describe/op.h"

#include <cstdint>

namespace headroom::ops {

/// y = x where an element is kept and 0 elsewhere, divided by the share that is kept; with
/// `residual`, y = residual + that. An element is dropped with probability p by a random number
/// that is a function of the run's seed, the step, the micro batch, the number of this op in the
/// model
/// (`instance`) and the element's index alone. So nothing is kept for backward, which draws the
/// same numbers again, and a repeated forward pass (activation checkpointing) drops the same
/// elements. Shapes: x (any) [, residual (the same)] -> y (the same). y may overwrite its operand
/// (with a residual: the residual). The gradients of x and of the residual may overwrite that of y.
/// FLOPs per element: forward 2, with a residual 3; backward 2. Random bits are integer arithmetic.
/// Errors: Error if p is not in [0, 1).
/// Source: Srivastava et al. 2014, in the form that leaves evaluation alone ("inverted").
class Dropout final : public Op {
 public:
  struct Options {
    double p = 0;
    std::uint32_t instance = 0;
    bool residual = false;
  };
  static constexpr std::string_view kName = "dropout";
  enum Input : std::uint8_t { kX, kResidual };

  explicit Dropout(Options options);
  [[nodiscard]] const Options& options() const { return options_; }
  /// An element is dropped if its 32 random bits are below this: p in units of 2^-32, rounded down.
  [[nodiscard]] std::uint32_t threshold() const;
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] RecomputeCost recompute_cost() const override {
    return RecomputeCost::kElementwise;
  }
  [[nodiscard]] SavedOperands saved() const override { return {}; }
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules forward_in_place() const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t input_count,
                                               std::size_t output_count) const override;

 private:
  Options options_;
};

}  // namespace headroom::ops
