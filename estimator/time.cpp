#include "estimator/time.h"

#include "core/describe/error.h"

#include <algorithm>

namespace headroom::estimator {
namespace {

constexpr std::array<Case, kCaseCount> kCases = {Case::kBest, Case::kTypical, Case::kWorst};
std::size_t index(Case c) { return static_cast<std::size_t>(c); }
std::size_t index(Bound b) { return static_cast<std::size_t>(b); }

Seconds& at(TimeRange& range, Case c) {
  return c == Case::kBest ? range.low : c == Case::kTypical ? range.typical : range.high;
}
Seconds at(const TimeRange& range, Case c) {
  return c == Case::kBest ? range.low : c == Case::kTypical ? range.typical : range.high;
}

// A measured bandwidth or link is read on this very device; what remains is noise.
constexpr double kMeasuredBand = 0.08;
double banded(double rate, Case c) {
  return c == Case::kBest    ? rate * (1 + kMeasuredBand)
         : c == Case::kWorst ? rate * (1 - kMeasuredBand)
                             : rate;
}

Bound largest(const std::array<Seconds, kBoundCount>& parts) {
  const auto most = std::max_element(parts.begin(), parts.end());
  return static_cast<Bound>(most - parts.begin());
}

Utilisation share(Flops flops,
                  const TimeRange& time,
                  const std::optional<Figure<FlopsPerSecond>>& peak,
                  DType dtype,
                  std::string_view convention) {
  Utilisation result;
  result.dtype = dtype;
  result.convention = convention;
  if (!peak || time.typical <= Seconds(0)) return result;
  result.peak = peak->value;
  result.low = utilisation(flops, time.high, peak->value);
  result.value = utilisation(flops, time.typical, peak->value);
  result.high = utilisation(flops, time.low, peak->value);
  return result;
}

}  // namespace

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return "compute";
    case Bound::kMemory:
      return "memory";
    case Bound::kLaunch:
      return "launch";
    case Bound::kHostTransfer:
      return "host_transfer";
  }
  return "";
}

double utilisation(Flops model, Seconds time, FlopsPerSecond peak, double devices) {
  return model.value() / (time.value() * peak.value() * devices);
}

TimeModel::TimeModel(const Hardware& hardware) : hardware_(hardware) {
  const auto vector_peak = peak(hardware, DType::kF32);
  for (const Case c : kCases) {
    CaseRates& rates = cases_[index(c)];
    rates.bandwidth = rate_at(hardware.memory.bandwidth, c).value() *
                      rate_at(hardware.memory.bandwidth_fraction, c);
    if (vector_peak) rates.vector = rate_at(*vector_peak, c).value();
    rates.gap = cost_at(hardware.launch.gap, c).value();
    rates.interval = cost_at(hardware.launch.interval, c).value();
    if (hardware.host_link) {
      rates.pinned = rate_at(hardware.host_link->pinned, c).value();
      rates.pageable = rate_at(hardware.host_link->pageable, c).value();
    }
    if (!hardware.measured) continue;
    const MeasuredRates& measured = *hardware.measured;
    if (measured.bandwidth) rates.bandwidth = banded(measured.bandwidth->value(), c);
    if (measured.launch_gap) rates.gap = measured.launch_gap->value();
    if (measured.pinned) rates.pinned = banded(measured.pinned->value(), c);
    if (measured.pageable) rates.pageable = banded(measured.pageable->value(), c);
  }
  for (const DTypeInfo& dtype : all_dtypes()) {
    if (MatmulRates::known(hardware, dtype.dtype)) {
      matmul_[static_cast<std::size_t>(dtype.dtype)].emplace(hardware, dtype.dtype);
    }
  }
}

const MatmulRates& TimeModel::rates(DType dtype) const {
  const auto& found = matmul_[static_cast<std::size_t>(dtype)];
  if (!found) throw Error(missing_rate_message(hardware_, dtype), ExitCode::kUsage);
  return *found;
}

void TimeModel::require_rates(const WorkList& work) const {
  std::vector<Problem> problems;
  std::array<bool, 10> seen{};
  for (const WorkItem& item : work) {
    const auto dtype = static_cast<std::size_t>(item.work.compute);
    if (item.work.matmul.empty() || seen[dtype] || matmul_[dtype]) continue;
    seen[dtype] = true;
    problems.push_back({{},
                        "training.precision",
                        missing_rate_message(hardware_, item.work.compute),
                        "choose another precision or GPU, or add the rate to the hardware file"});
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

ItemTime TimeModel::item(const WorkItem& item, double memory_traffic_factor) const {
  ItemTime result;
  result.op = item.op;
  result.phase = item.phase;
  result.repeat = item.repeat;
  const Work& work = item.work;
  const double bytes =
      static_cast<double>((work.read + work.written).value()) * memory_traffic_factor;
  MatmulRates::Rates matmul{};
  if (!work.matmul.empty()) matmul = rates(work.compute).at(work.matmul);
  for (const Case c : kCases) {
    const CaseRates& device = cases_[index(c)];
    double compute = 0;
    if (!work.matmul.empty()) compute += work.matmul_flops.value() / matmul[index(c)].value();
    if (device.vector > 0) compute += work.other_flops.value() / device.vector;
    const double memory = bytes / device.bandwidth;
    at(result.total, c) =
        Seconds((std::max(compute, memory) + device.gap) * static_cast<double>(item.repeat));
    if (c == Case::kTypical) {
      result.compute = Seconds(compute);
      result.memory = Seconds(memory);
      result.launch = Seconds(device.gap);
    }
  }
  const Seconds busy = std::max(result.compute, result.memory);
  result.bound = result.launch > busy              ? Bound::kLaunch
                 : result.compute >= result.memory ? Bound::kCompute
                                                   : Bound::kMemory;
  return result;
}

TimeRange TimeModel::transfer(const HostTransfer& host, const TimeRange& compute) const {
  TimeRange exposed;
  const auto steps = static_cast<double>(host.micro_steps);
  for (const Case c : kCases) {
    const CaseRates& device = cases_[index(c)];
    const double rate = host.pinned ? device.pinned : device.pageable;
    if (rate <= 0) continue;
    double seconds = static_cast<double>(host.bytes_per_micro_step.value()) / rate * steps;
    // A copy from pageable memory goes through a staging buffer and holds up the host.
    if (host.overlapped && host.pinned) seconds = std::max(0.0, seconds - at(compute, c).value());
    at(exposed, c) = Seconds(seconds);
  }
  return exposed;
}

StepTime TimeModel::step(const WorkList& work, const TimeOptions& options) const {
  require_rates(work);
  StepTime result;
  if (options.keep_items) result.items.reserve(work.size());
  std::array<std::array<Seconds, kBoundCount>, kPhaseCount> parts{};
  std::array<double, kPhaseCount> launches{};
  std::array<double, 10> matmul_flops{};
  for (const WorkItem& item : work) {
    const ItemTime timed = this->item(item, options.memory_traffic_factor);
    const auto phase = static_cast<std::size_t>(item.phase);
    result.phases[phase].total += timed.total;
    const auto repeat = static_cast<double>(item.repeat);
    // The start of a kernel is launch time even when the kernel itself is bound otherwise.
    const Bound busy = timed.compute >= timed.memory ? Bound::kCompute : Bound::kMemory;
    parts[phase][index(busy)] += std::max(timed.compute, timed.memory) * repeat;
    parts[phase][index(Bound::kLaunch)] += timed.launch * repeat;
    launches[phase] += repeat;
    matmul_flops[static_cast<std::size_t>(rate_key(item.work.compute))] +=
        item.work.matmul_flops.value() * repeat;
    if (options.keep_items) result.items.push_back(timed);
  }
  for (std::size_t p = 0; p < kPhaseCount; ++p) {
    PhaseTime& phase = result.phases[p];
    for (const Case c : kCases) {
      // The device runs ahead of the host only while it has work queued.
      const Seconds floor(launches[p] * cases_[index(c)].interval);
      Seconds& total = at(phase.total, c);
      if (c == Case::kTypical && floor > total) phase.launch_wait = floor - total;
      total = std::max(total, floor);
    }
    parts[p][index(Bound::kLaunch)] += phase.launch_wait;
    phase.bound = largest(parts[p]);
    result.step += phase.total;
    for (std::size_t b = 0; b < kBoundCount; ++b) result.by_bound[b] += parts[p][b];
  }
  if (options.host_transfer) {
    result.host_transfer = transfer(*options.host_transfer, result.step);
    result.step += result.host_transfer;
    result.by_bound[index(Bound::kHostTransfer)] = result.host_transfer.typical;
  }
  result.bound = largest(result.by_bound);

  const auto most = std::max_element(matmul_flops.begin(), matmul_flops.end());
  const auto dtype = static_cast<DType>(most - matmul_flops.begin());
  double total_flops = 0;
  for (const double flops : matmul_flops) total_flops += flops;
  const auto device_peak = peak(hardware_, dtype);
  result.hfu = share(Flops(total_flops), result.step, device_peak, dtype,
                     "matrix products done, multiply-add = 2");
  result.mfu = options.model_flops ? share(*options.model_flops, result.step, device_peak, dtype,
                                           options.convention)
                                   : result.hfu;
  if (options.items_per_step > 0 && result.step.low > Seconds(0)) {
    result.items_per_second_low = options.items_per_step / result.step.high.value();
    result.items_per_second = options.items_per_step / result.step.typical.value();
    result.items_per_second_high = options.items_per_step / result.step.low.value();
  }
  return result;
}

}  // namespace headroom::estimator
