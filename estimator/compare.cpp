#include "estimator/compare.h"

namespace headroom::estimator {
namespace {

std::vector<Difference> by_category(const PerCategory<Bytes>& predicted,
                                    const PerCategory<Bytes>& measured) {
  std::vector<Difference> list;
  for (Category category : all_categories()) {
    const Difference line{std::string(name(category)), predicted[category], measured[category]};
    if (line.predicted.value() != 0 || line.measured.value() != 0) list.push_back(line);
  }
  return list;
}

}  // namespace

std::optional<double> relative_error(double predicted, double measured) {
  if (measured == 0) return predicted == 0 ? std::optional<double>(0) : std::nullopt;
  return (predicted - measured) / measured;
}

std::optional<double> Comparison::step_error() const {
  if (!predicted_step || !measured_step) return std::nullopt;
  return relative_error(predicted_step->value(), measured_step->value());
}

Comparison compare(const Estimate& predicted, const MeasuredRun& measured) {
  const DeviceMemoryEstimate& device = predicted.device();
  Comparison result;
  result.tensors = by_category(device.usage.at_peak, measured.tensors);
  result.allocated = by_category(device.usage.allocated_at_peak, measured.allocated);
  result.tensors_peak = {"tensors_peak", device.usage.tensors_peak, measured.tensors_peak};
  result.allocated_peak = {"allocated_peak", device.usage.allocated_peak, measured.allocated_peak};
  result.reserved = {"reserved_peak", device.reserved, measured.reserved_peak};
  result.predicted_peak_phase = name(device.usage.peak_phase);
  result.predicted_peak_op = device.usage.peak_op;
  result.measured_peak_phase = measured.peak_phase;
  result.measured_peak_op = measured.peak_op;
  result.fixed_parts = measured.fixed_parts;
  result.device_peak = measured.device_peak;
  result.unexplained = measured.device_peak - measured.reserved_peak;
  for (const auto& [part, bytes] : measured.fixed_parts) result.unexplained -= bytes;
  if (predicted.time) {
    result.predicted_step = predicted.time->step.typical;
    result.predicted_step_low = predicted.time->step.low;
    result.predicted_step_high = predicted.time->step.high;
    if (predicted.time->mfu.peak.value() > 0) result.predicted_mfu = predicted.time->mfu.value;
  }
  result.measured_step = measured.step_time;
  result.measured_mfu = measured.mfu;
  result.first_loss = measured.first_loss;
  result.last_loss = measured.last_loss;
  return result;
}

}  // namespace headroom::estimator
