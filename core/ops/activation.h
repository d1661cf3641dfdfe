#pragma once

#include "core/describe/op.h"
#include "core/describe/plan_enums.h"

namespace headroom::ops {

/// y = f(x), element by element.
/// Shapes: any x -> y of the same shape.
/// ReLU works in place and keeps only y, which the next linear keeps anyway; the others keep x.
/// FLOPs per element (forward, backward): relu 1, 1; gelu 8, 12; gelu_tanh 10, 18; silu 5, 9.
/// Source: GELU Hendrycks and Gimpel 2016; SiLU Elfwing et al. 2017.
class Activation final : public Op {
 public:
  static constexpr std::string_view kName = "activation";
  explicit Activation(ActivationKind kind) : kind_(kind) {}
  [[nodiscard]] ActivationKind kind() const { return kind_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] RecomputeCost recompute_cost() const override {
    return RecomputeCost::kElementwise;
  }
  [[nodiscard]] InPlaceRules forward_in_place() const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t inputs,
                                               std::size_t outputs) const override;

 private:
  ActivationKind kind_;
};

}  // namespace headroom::ops
