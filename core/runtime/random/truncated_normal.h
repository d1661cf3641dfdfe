#pragma once

#include <cstdint>

namespace headroom::runtime {

/// Standard normal distribution function.
[[nodiscard]] double normal_cdf(double z);

/// Its inverse for p in (0, 1), exact to about 1e-15 relative; -infinity at 0, infinity at 1.
/// Source: Wichura 1988, algorithm AS 241 (PPND16).
[[nodiscard]] double normal_quantile(double p);

/// Turns 32 random bits into a standard normal value given that it lies in [lower, upper], in a
/// fixed number of operations: the bits choose a point of the distribution function. Cuts may be
/// infinite, and may both lie far out in the same tail.
class TruncatedNormal {
 public:
  /// Errors: Error unless lower < upper.
  TruncatedNormal(double lower, double upper);
  [[nodiscard]] double operator()(std::uint32_t bits) const;

 private:
  double lower_, upper_;  ///< after mirroring
  double p_lower_, p_width_;
  bool mirrored_;
};

}  // namespace headroom::runtime
