#pragma once

#include "estimator/estimate.h"
#include "gui/model/explanation.h"
#include "gui/model/part.h"
#include "gui/model/report_table.h"

#include <QString>
#include <optional>
#include <vector>

namespace headroom::gui {

/// A part of what the device holds at the peak. All parts together are the device peak.
struct MemoryPart {
  Part part;
  Bytes bytes;
  QString text;  ///< `64.3 KiB`
  Explanation how;
};
/// The parts that are not empty, categories in their order, then packing.
/// The context is counted with its category.
[[nodiscard]] std::vector<MemoryPart> memory_parts(const estimator::Estimate& estimate);

/// Whether the plan fits, in words.
struct VerdictReport {
  enum class Level { kFits, kTight, kTooLarge, kUnknown };
  Level level = Level::kUnknown;
  QString word;      ///< `fits`
  QString sentence;  ///< `79.6 GiB of headroom (+/- 0.3 GiB)`
  Explanation how;
};
/// Tight: the headroom is smaller than the error band of the estimate.
[[nodiscard]] VerdictReport verdict_report(const estimator::Estimate& estimate);

/// The stacked bar: shares of the device peak, and where that stands on the scale of the capacity.
struct BarSegment {
  Part part;
  double begin = 0, end = 0;  ///< shares of the device peak
  QString name, size;
};
struct BarTick {
  double share = 0;
  QString text;
};
struct BarReport {
  std::vector<BarSegment> segments;
  double used = 1;              ///< device peak as a share of the scale
  std::optional<double> limit;  ///< capacity as a share of the scale
  std::vector<BarTick> ticks;   ///< on the scale of the capacity
  QString used_text;            ///< `peak 12.3 GiB`
  QString limit_text;           ///< `H100 SXM: 79.6 GiB`
  VerdictReport::Level level = VerdictReport::Level::kUnknown;
};
[[nodiscard]] BarReport bar_report(const estimator::Estimate& estimate);

/// The bar as a table with exact bytes, capacity, headroom and the textbook sum beside it.
[[nodiscard]] TableContent memory_table(const estimator::Estimate& estimate);

}  // namespace headroom::gui
