#pragma once

#include "core/describe/op.h"

namespace headroom::ops {

/// y = x in another float dtype, rounded to nearest; backward casts the gradient back.
/// Shapes: any x -> y of the same shape. Dtypes: f64, f32, bf16, f16.
/// Where both have equally many bytes, y may overwrite x, and dx dy.
/// FLOPs: none. An f64 value reaches a 16-bit type through f32.
class Cast final : public Op {
 public:
  static constexpr std::string_view kName = "cast";
  explicit Cast(DType to) : to_(to) {}
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
  DType to_;
};

}  // namespace headroom::ops
