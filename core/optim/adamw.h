#pragma once

#include "core/describe/update_rule.h"

namespace headroom::optim {

/// Adam (see adam.h) whose weight decay leaves the gradient alone: first p *= 1 - lr weight_decay.
/// Keeps `exp_avg` and `exp_avg_sq`.
/// FLOPs per element: 13; weight decay 1 more.
/// Source: Loshchilov and Hutter 2019, in the form of torch.optim.AdamW.
class Adamw final : public UpdateRule {
 public:
  struct Options {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weight_decay = 1e-2;
    bool decay_vectors = true;  ///< parameters of one dimension (biases, norms) decay too
  };
  static constexpr std::string_view kName = "adamw";

  explicit Adamw(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] double decay_of(const TensorType& parameter) const;
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] StateSpecs states(const TensorType& parameter) const override;
  [[nodiscard]] Work update_work(const TensorType& parameter) const override;

 private:
  Options options_;
};

}  // namespace headroom::optim
