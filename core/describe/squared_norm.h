#pragma once

#include "core/describe/op.h"

namespace headroom {

/// Adds the sum of squares of a gradient to a scalar; the clipping coefficient comes from it.
/// Update-pass operation: reads = gradient, writes = f32 scalar (accumulated).
class SquaredNorm final : public Operation {
 public:
  static constexpr std::string_view kName = "squared_norm";
  /// Partial sums before the final one: fixed, so that the thread count changes no bit.
  static constexpr std::int64_t kPartials = 64;
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] static Bytes workspace() { return Bytes(kPartials * 8); }
  [[nodiscard]] static Work work(const TensorType& gradient);
};

}  // namespace headroom
