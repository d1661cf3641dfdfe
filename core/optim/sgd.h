#pragma once

#include "core/describe/update_rule.h"

namespace headroom::optim {

/// p -= lr d, where d is the gradient g, plus weight_decay p, after momentum:
///   v = momentum v + (1 - dampening) g    (v = g in the first step)
///   d = v, or g + momentum v with nesterov.
/// Keeps `momentum_buffer` if momentum is not 0, otherwise nothing.
/// FLOPs per element: 2; weight decay 2 more, momentum 2, dampening 1, nesterov 2.
/// Errors: Error if nesterov comes without momentum or with dampening.
/// Source: Sutskever et al. 2013, in the form of torch.optim.SGD.
class Sgd final : public UpdateRule {
 public:
  struct Options {
    double momentum = 0;
    double dampening = 0;
    double weight_decay = 0;
    bool nesterov = false;
  };
  static constexpr std::string_view kName = "sgd";

  explicit Sgd(Options options);
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] StateSpecs states(const TensorType& parameter) const override;
  [[nodiscard]] Work update_work(const TensorType& parameter) const override;

 private:
  Options options_;
};

}  // namespace headroom::optim
