#pragma once

#include "estimator/estimate.h"
#include "gui/model/byte_scale.h"
#include "gui/model/part.h"

#include <QString>
#include <array>
#include <vector>

namespace headroom::gui {

/// One moment of a step: what is alive, part upon part.
struct TimelineMoment {
  double at = 0;                              ///< place on the x axis: moments count from 0
  std::array<double, kCategoryCount> tops{};  ///< in units of the scale, each on those before it
  QString text;                               ///< `backward, linear: 1.2 MiB`
};
struct TimelinePhase {
  QString name;
  double begin = 0, end = 0;
};
/// Memory over one step, ready to be drawn.
struct TimelineReport {
  std::vector<TimelineMoment> moments;
  std::vector<TimelinePhase> phases;
  std::vector<Category> categories;  ///< those that are ever alive
  ByteScale scale;
  double last = 1;       ///< end of the x axis
  std::size_t peak = 0;  ///< the moment with most alive
  QString peak_text;     ///< `peak 1.2 MiB: backward, linear`
};
/// At most `most` moments; of those that share a place the highest is kept.
[[nodiscard]] TimelineReport timeline_report(const estimator::Estimate& estimate,
                                             std::size_t most = 600);

}  // namespace headroom::gui
