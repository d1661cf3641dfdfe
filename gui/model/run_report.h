#pragma once

#include "core/describe/run_records.h"
#include "estimator/compare.h"
#include "gui/model/report_table.h"

#include <QPointF>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

namespace headroom::gui {

/// Predicted beside measured, for one category.
struct PairedBar {
  QString name;
  std::optional<Part> part;
  double predicted = 0, measured = 0;  ///< shares of the longest bar
  QString predicted_text, measured_text;
  QString error_text;  ///< `+0.00%`
  bool equal = false;
};

/// A curve over steps with its axes.
struct LossReport {
  std::vector<QPointF> points;
  double first_step = 0, last_step = 1, step_interval = 1;
  double lowest = 0, highest = 1, interval = 0.2;
  int decimals = 2;
  QString summary;  ///< `2.31 to 0.12 over 200 steps`
};
/// The losses of all step records. Of many points the lowest and highest of neighbours are kept,
/// so that no spike is lost.
[[nodiscard]] LossReport loss_report(const std::vector<LogRecord>& records,
                                     std::size_t most = 1000);

/// Everything the run page shows.
struct RunReport {
  QString title;     ///< `mlp on cpu (Intel ...)`
  QString subtitle;  ///< where the data came from
  QString status;    ///< `finished after 200 steps`, `step 20 of 200`
  QString headline;  ///< `predicted 1.23 MiB, measured 1.23 MiB`
  QString error;     ///< `+0.00%`; empty without a measurement
  QString worst;     ///< the category that is furthest off
  bool exact = false;
  std::vector<PairedBar> bars;
  TableContent memory, speed;
  LossReport loss;
  QString missing;  ///< not empty: why nothing can be compared yet
};
/// `predicted` is unset while the plan could not be estimated; `why_not` says why.
[[nodiscard]] RunReport run_report(const std::vector<LogRecord>& records,
                                   const estimator::Estimate* predicted,
                                   const QString& why_not,
                                   const std::string& run);

}  // namespace headroom::gui
