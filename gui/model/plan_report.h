#pragma once

#include "estimator/estimate.h"
#include "gui/model/facts_report.h"
#include "gui/model/memory_report.h"
#include "gui/model/timeline_report.h"

#include <QString>
#include <QStringList>
#include <vector>

namespace headroom::gui {

/// Everything the plan page shows of an estimate.
struct PlanReport {
  QString title;     ///< `cruncher, 16,448 parameters`
  QString subtitle;  ///< `adagrad, f32, micro batch 128, on H100 SXM`
  VerdictReport verdict;
  BarReport bar;
  TableContent memory, facts;
  TimelineReport timeline;
  QStringList notes;  ///< warnings first, then what the estimate assumes
};
[[nodiscard]] PlanReport plan_report(const estimator::Estimate& estimate);

}  // namespace headroom::gui
