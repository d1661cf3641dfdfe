#pragma once

#include "core/ops/norm.h"

namespace headroom::ops {

/// y = (x - mean) / sqrt(variance + eps) * weight + bias over the last dimension; see norm.h.
/// Source: Ba, Kiros and Hinton 2016; the variance is the biased one, as in PyTorch.
class LayerNorm final : public Norm {
 public:
  static constexpr std::string_view kName = "layer_norm";
  explicit LayerNorm(Options options)
      : Norm(true,
             options,
             options.residual
                 ? std::make_unique<LayerNorm>(Options{.eps = options.eps, .bias = options.bias})
                 : nullptr) {}
  [[nodiscard]] std::string_view name() const override { return kName; }
};

}  // namespace headroom::ops
