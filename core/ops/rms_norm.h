#pragma once

#include "core/ops/norm.h"

namespace headroom::ops {

/// y = x / sqrt(mean(x^2) + eps) * weight over the last dimension; see norm.h.
/// Source: Zhang and Sennrich 2019, as used by the Llama family.
class RmsNorm final : public Norm {
 public:
  static constexpr std::string_view kName = "rms_norm";
  struct Options {
    double eps = 1e-6;
    bool residual = false;
  };
  explicit RmsNorm(Options options)
      : Norm(false,
             {.eps = options.eps, .bias = false, .residual = options.residual},
             options.residual ? std::make_unique<RmsNorm>(Options{.eps = options.eps}) : nullptr) {}
  [[nodiscard]] std::string_view name() const override { return kName; }
};

}  // namespace headroom::ops
