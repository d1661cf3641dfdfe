#pragma once

#include "core/describe/update_rule.h"

namespace headroom::optim {

/// s = alpha s + (1 - alpha) g^2; d = g / (sqrt(s) + eps); p -= lr d.
/// Centered: a = alpha a + (1 - alpha) g, and s - a^2 stands under the root.
/// With momentum: b = momentum b + d; p -= lr b. Weight decay is added to the gradient.
/// Keeps `square_avg`, then `grad_avg` if centered, then `momentum_buffer` if momentum is not 0.
/// FLOPs per element: 9; weight decay 2 more, centered 5, momentum 2.
/// Source: Hinton's lecture 6e (2012); Graves 2013 (centered); the form of torch.optim.RMSprop.
class Rmsprop final : public UpdateRule {
 public:
  struct Options {
    double alpha = 0.99;
    double eps = 1e-8;
    double momentum = 0;
    bool centered = false;
    double weight_decay = 0;
  };
  static constexpr std::string_view kName = "rmsprop";

  explicit Rmsprop(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] StateSpecs states(const TensorType& parameter) const override;
  [[nodiscard]] Work update_work(const TensorType& parameter) const override;

 private:
  Options options_;
};

}  // namespace headroom::optim
