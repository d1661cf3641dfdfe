#pragma once

#include "core/describe/units.h"

#include <QString>
#include <vector>

namespace headroom::gui {

/// An axis for bytes: round numbers in one unit of 2^10.
struct ByteScale {
  double unit = 1;      ///< bytes of one unit
  QString unit_name;    ///< `GiB`
  double last = 1;      ///< end of the axis, in units
  double interval = 1;  ///< between ticks, in units
  int decimals = 0;     ///< that tick labels need
  [[nodiscard]] double in_units(Bytes bytes) const {
    return static_cast<double>(bytes.value()) / unit;
  }
};

/// An axis from 0 to at least `largest` with about `ticks` intervals.
[[nodiscard]] ByteScale byte_scale(Bytes largest, int ticks);

/// The round step of 1, 2 or 5 times a power of ten that divides `span` into about `ticks`.
[[nodiscard]] double round_interval(double span, int ticks);

}  // namespace headroom::gui
