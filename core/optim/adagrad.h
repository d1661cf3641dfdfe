#pragma once

#include "core/describe/update_rule.h"

namespace headroom::optim {

/// sum += g^2, then p -= lr g / (sqrt(sum) + eps) as PyTorch does, or p -= lr g / sqrt(sum + eps)
/// as in the lecture notes. Weight decay is added to the gradient. Keeps `sum`.
/// FLOPs per element: 7; weight decay 2 more.
/// Source: Duchi et al. 2011; torch.optim.Adagrad; the notes' AdaGrad.
class Adagrad final : public UpdateRule {
 public:
  struct Options {
    double eps = 1e-10;
    bool eps_inside_root = false;
    double weight_decay = 0;
  };
  static constexpr std::string_view kName = "adagrad";

  explicit Adagrad(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] StateSpecs states(const TensorType& parameter) const override;
  [[nodiscard]] Work update_work(const TensorType& parameter) const override;

 private:
  Options options_;
};

}  // namespace headroom::optim
