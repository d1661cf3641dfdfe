#include "gui/model/byte_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headroom::gui {

double round_interval(double span, int ticks) {
  if (span <= 0) return 1;
  const double raw = span / std::max(1, ticks);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

ByteScale byte_scale(Bytes largest, int ticks) {
  constexpr std::array kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  ByteScale scale;
  const double bytes = std::max<double>(1, static_cast<double>(largest.value()));
  std::size_t index = 0;
  while (index + 1 < kNames.size() && bytes / scale.unit >= 1024) {
    scale.unit *= 1024;
    ++index;
  }
  scale.unit_name = QString::fromLatin1(kNames[index]);
  scale.interval = round_interval(bytes / scale.unit, ticks);
  if (index == 0) scale.interval = std::max(1.0, scale.interval);
  scale.last = scale.interval * std::ceil(bytes / scale.unit / scale.interval);
  scale.decimals = std::max(0, static_cast<int>(-std::floor(std::log10(scale.interval) + 1e-9)));
  return scale;
}

}  // namespace headroom::gui
