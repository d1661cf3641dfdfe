#pragma once

#include "core/describe/config_node.h"
#include "core/describe/plan.h"
#include "core/describe/plan_resolve.h"

#include <span>
#include <string>
#include <vector>

namespace headroom {

/// A resolved plan, where each value came from, and what its author should know.
struct LoadedPlan {
  Plan plan;
  std::vector<Problem> notes;  ///< other spellings that were understood
  Origins origins;
};

struct PlanReading {
  LoadedPlan loaded;              ///< usable only without problems
  std::vector<Problem> problems;  ///< in the order of the file, then what concerns the whole
};

/// Gives a parsed file its meaning: known keys, types, limits, defaults and rules, all problems
/// collected. `preset` lies under `root`: its keys count where `root` is silent.
[[nodiscard]] PlanReading read_plan_collecting(const ConfigNode& root,
                                               const ConfigNode* preset = nullptr);

/// As above. Errors: ConfigError with every problem.
[[nodiscard]] LoadedPlan read_plan(const ConfigNode& root);

}  // namespace headroom
