#pragma once

#include "estimator/estimate.h"
#include "gui/model/report_table.h"

#include <QString>

namespace headroom::gui {

/// FLOPs, time and money of a plan, each with its formula.
[[nodiscard]] TableContent facts_table(const estimator::Estimate& estimate);

/// What would make the plan fit, or save memory: one row per suggestion, in their order.
[[nodiscard]] TableContent suggestions_table(const std::vector<estimator::Suggestion>& suggestions);

}  // namespace headroom::gui
