#include "estimator/hardware.h"

#include <algorithm>

namespace headroom::estimator {

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::kPublished:
      return "published";
    case Standing::kMeasured:
      return "measured";
    case Standing::kDerived:
      return "derived";
    case Standing::kAssumed:
      return "assumed";
    case Standing::kUnchecked:
      return "unchecked";
  }
  return "";
}

std::optional<Standing> standing_from_name(std::string_view word) {
  for (const Standing standing : {Standing::kPublished, Standing::kMeasured, Standing::kDerived,
                                  Standing::kAssumed, Standing::kUnchecked}) {
    if (name(standing) == word) return standing;
  }
  return std::nullopt;
}

std::string_view name(HardwareKind kind) { return kind == HardwareKind::kGpu ? "gpu" : "cpu"; }

std::optional<Figure<FlopsPerSecond>> peak(const Hardware& hardware, DType dtype) {
  const auto found = hardware.peak.find(rate_key(dtype));
  if (found == hardware.peak.end()) return std::nullopt;
  return found->second;
}

std::string missing_rate_message(const Hardware& hardware, DType dtype) {
  const std::string word(name(dtype));
  std::string known;
  for (const auto& [key, figure] : hardware.peak) {
    if (!known.empty()) known += ", ";
    known += key == DType::kF8e4m3 ? "fp8" : std::string(name(key));
  }
  const bool absent = std::find(hardware.unsupported.begin(), hardware.unsupported.end(),
                                rate_key(dtype)) != hardware.unsupported.end();
  return hardware.name +
         (absent ? " has no " + word + " arithmetic" : ": no " + word + " rate is known for it") +
         "; rates are known for " + (known.empty() ? "nothing" : known);
}

std::optional<Figure<Bytes>> capacity(const Hardware& hardware) {
  if (hardware.measured && hardware.measured->memory_total) {
    return exact_figure(*hardware.measured->memory_total, Standing::kMeasured,
                        "measured on " + hardware.measured->device_name);
  }
  return hardware.memory.usable ? hardware.memory.usable : hardware.memory.nominal;
}

Hardware with_measured(Hardware base, MeasuredRates rates) {
  std::map<DType, FlopsPerSecond> best;
  for (const MeasuredMatmul& row : rates.matmul) {
    FlopsPerSecond& top = best[rate_key(row.dtype)];
    top = std::max(top, row.rate);
  }
  for (const auto& [dtype, rate] : best) {
    // A generic processor's guess gives way to what this one does; a datasheet peak stays.
    const auto known = base.peak.find(dtype);
    if (known == base.peak.end() || known->second.standing == Standing::kAssumed) {
      base.peak[dtype] =
          exact_figure(rate, Standing::kMeasured,
                       "best matrix product measured on " + rates.device_name + ", " + rates.date);
    }
    std::erase(base.unsupported, dtype);
  }
  base.measured = std::move(rates);
  return base;
}

}  // namespace headroom::estimator
