#include "estimator/time.h"

#include <array>
#include <cstdio>

namespace headroom::estimator {
namespace {

std::string rounded(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", number);
  return text.data();
}

template <class Unit>
std::string range(const Figure<Unit>& figure, double scale) {
  const auto plain = [&](Unit unit) {
    if constexpr (std::is_same_v<Unit, double>) {
      return rounded(unit / scale);
    } else {
      return rounded(static_cast<double>(unit.value()) / scale);
    }
  };
  std::string text = plain(figure.value);
  if (figure.low != figure.value || figure.high != figure.value) {
    text += " (" + plain(figure.low) + " to " + plain(figure.high) + ')';
  }
  return text;
}

template <class Unit>
std::string origin(const Figure<Unit>& figure) {
  return " [" + std::string(name(figure.standing)) + ": " + figure.source + ']';
}

}  // namespace

std::vector<std::string> TimeModel::assumptions(const WorkList& work,
                                                const TimeOptions& options) const {
  std::vector<std::string> lines;
  if (hardware_.kind == HardwareKind::kCpu && !hardware_.measured) {
    lines.emplace_back(
        "rates of a generic processor, not of this one: `headroom bench -o "
        "this-machine.yaml` measures it, then set hardware.gpu=this-machine.yaml");
  }
  std::array<bool, 10> seen{};
  for (const WorkItem& item : work) {
    const DType dtype = rate_key(item.work.compute);
    if (item.work.matmul.empty() || seen[static_cast<std::size_t>(dtype)]) continue;
    seen[static_cast<std::size_t>(dtype)] = true;
    const auto& known = matmul_[static_cast<std::size_t>(dtype)];
    if (!known) continue;
    const std::string word = dtype == DType::kF8e4m3 ? "fp8" : std::string(name(dtype));
    if (known->measured()) {
      lines.push_back(word + " matrix products: rates measured on " +
                      hardware_.measured->device_name + ", " + hardware_.measured->date +
                      ", interpolated between sizes");
      continue;
    }
    const auto own = hardware_.matmul.fraction.find(dtype);
    const Figure<double>& fraction =
        own == hardware_.matmul.fraction.end() ? hardware_.matmul.default_fraction : own->second;
    const Figure<FlopsPerSecond>& top = hardware_.peak.at(dtype);
    lines.push_back(word + " matrix products: " + range(fraction, 1) + " of the dense peak of " +
                    range(top, 1e12) + " TFLOP/s" + origin(fraction));
  }
  if (hardware_.measured && hardware_.measured->bandwidth) {
    lines.push_back("memory: " + rounded(hardware_.measured->bandwidth->value() / 1e9) +
                    " GB/s measured on " + hardware_.measured->device_name);
  } else {
    lines.push_back("memory: " + range(hardware_.memory.bandwidth_fraction, 1) + " of " +
                    range(hardware_.memory.bandwidth, 1e9) + " GB/s" +
                    origin(hardware_.memory.bandwidth_fraction));
  }
  lines.push_back("launches: " + range(hardware_.launch.gap, 1e-6) + " us each" +
                  origin(hardware_.launch.gap));
  if (options.memory_traffic_factor != 1) {
    lines.push_back("memory traffic: " + rounded(options.memory_traffic_factor) +
                    " times the bytes the ops declare");
  }
  if (options.host_transfer) {
    const HostTransfer& host = *options.host_transfer;
    if (!hardware_.host_link) {
      lines.emplace_back(hardware_.kind == HardwareKind::kCpu
                             ? "input batches: already in the memory of the processor, no copy"
                             : "input batches: the hardware file has no host link, copies are not "
                               "counted");
    } else {
      const bool hidden = host.overlapped && host.pinned;
      lines.push_back(
          "input batches: " +
          range(host.pinned ? hardware_.host_link->pinned : hardware_.host_link->pageable, 1e9) +
          " GB/s from " + (host.pinned ? "pinned" : "pageable") + " memory over " +
          hardware_.host_link->name + (hidden ? ", hidden behind computing" : ", not overlapped"));
    }
  }
  return lines;
}

}  // namespace headroom::estimator
