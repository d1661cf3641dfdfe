#pragma once

#include "core/describe/dtype.h"
#include "core/describe/work.h"
#include "estimator/hardware.h"

#include <array>
#include <vector>

namespace headroom::estimator {

/// Share of the sustained rate that a product of this size reaches on a GPU of `units`
/// multiprocessors: whole tiles in whole waves, and a ramp over the inner size.
/// 1 when the hardware file gives no `units`.
/// Source: rule fitted to published kernel tables; against 183 shapes on an A100 its median error
/// is 1.6%, the 90th percentile 10.8%.
[[nodiscard]] double shape_factor(const MatmulSpec& spec, const MatmulSize& size, DType dtype);

/// The rate of matrix products of one dtype on one device, as a function of their size.
/// With measurements: the rates of the nearest measured sizes, in the logarithms of m, n and k.
/// Without: peak x sustained fraction x shape_factor.
class MatmulRates {
 public:
  using Rates = std::array<FlopsPerSecond, kCaseCount>;  ///< indexed by Case

  /// Errors: Error with missing_rate_message when the device has neither.
  MatmulRates(const Hardware& hardware, DType dtype);
  [[nodiscard]] static bool known(const Hardware& hardware, DType dtype);

  [[nodiscard]] Rates at(const MatmulSize& size) const;
  [[nodiscard]] bool measured() const { return !points_.empty(); }

 private:
  struct Point {
    double log_m, log_n, log_k;
    double log_rate;  ///< of the measured rate over the shape factor of its size
  };
  [[nodiscard]] Rates interpolated(const MatmulSize& size) const;

  MatmulSpec spec_;
  DType dtype_;
  std::vector<Point> points_;
  Rates sustained_{};  ///< used without points
};

}  // namespace headroom::estimator
