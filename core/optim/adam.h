#pragma once

#include "core/describe/update_rule.h"

namespace headroom::optim {

/// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
/// p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps).
/// Weight decay is added to the gradient (an L2 penalty). Keeps `exp_avg` and `exp_avg_sq`.
/// FLOPs per element: 13; weight decay 2 more.
/// Source: Kingma and Ba 2015, in the form of torch.optim.Adam.
class Adam final : public UpdateRule {
 public:
  struct Options {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weight_decay = 0;
  };
  static constexpr std::string_view kName = "adam";

  explicit Adam(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] StateSpecs states(const TensorType& parameter) const override;
  [[nodiscard]] Work update_work(const TensorType& parameter) const override;

 private:
  Options options_;
};

}  // namespace headroom::optim
