#pragma once

#include "estimator/compare.h"

#include <string>
#include <vector>

namespace headroom::cli {

/// Predicted beside measured, as text or JSON.
[[nodiscard]] std::string comparison_text(const estimator::Comparison& comparison,
                                          const std::string& run);
[[nodiscard]] std::string comparison_json(const estimator::Comparison& comparison);

/// One plan of several beside each other.
struct PlanColumn {
  std::string name;
  estimator::Estimate estimate;
};
/// Only the plan keys that differ, then the results; the first plan is the baseline.
[[nodiscard]] std::string plans_text(const std::vector<PlanColumn>& plans);
[[nodiscard]] std::string plans_json(const std::vector<PlanColumn>& plans);

}  // namespace headroom::cli
