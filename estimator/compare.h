#pragma once

#include "estimator/estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace headroom::estimator {

/// What a run measured of itself, from its log.
struct MeasuredRun {
  std::string device;            ///< `cpu` or `cuda`
  PerCategory<Bytes> tensors;    ///< payload per category at the peak
  PerCategory<Bytes> allocated;  ///< after rounding, at the same moment
  Bytes tensors_peak, allocated_peak, reserved_peak;
  /// Growth of what the operating system or driver counts, from before the device was opened.
  Bytes device_peak;
  std::vector<std::pair<std::string, Bytes>> fixed_parts;  ///< measured, and no tensor
  std::string peak_phase, peak_op;
  std::optional<Seconds> step_time;  ///< median, without the first steps
  std::optional<double> mfu;
  std::optional<double> first_loss, last_loss;
};

/// (predicted - measured) / measured; 0 when both are 0, nothing when only the measured one is.
[[nodiscard]] std::optional<double> relative_error(double predicted, double measured);

/// Predicted beside measured.
struct Difference {
  std::string name;
  Bytes predicted, measured;
  [[nodiscard]] std::optional<double> error() const {
    return relative_error(static_cast<double>(predicted.value()),
                          static_cast<double>(measured.value()));
  }
};

struct Comparison {
  std::vector<Difference> tensors;    ///< per category that either side has
  std::vector<Difference> allocated;  ///< the same, after rounding
  Difference tensors_peak, allocated_peak, reserved;
  std::string predicted_peak_phase, predicted_peak_op, measured_peak_phase, measured_peak_op;
  std::vector<std::pair<std::string, Bytes>> fixed_parts;
  Bytes device_peak;
  /// What the device counts beyond reserved memory and fixed parts. Shown, never spread.
  Bytes unexplained;
  std::optional<Seconds> predicted_step, predicted_step_low, predicted_step_high, measured_step;
  std::optional<double> predicted_mfu, measured_mfu;
  std::optional<double> first_loss, last_loss;
  [[nodiscard]] std::optional<double> step_error() const;
};

[[nodiscard]] Comparison compare(const Estimate& predicted, const MeasuredRun& measured);

}  // namespace headroom::estimator
