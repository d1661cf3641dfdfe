#pragma once

#include "core/describe/plan_enums.h"

#include <cstdint>

namespace headroom {

/// What backward recomputes instead of keeping. `every` counts layers and is 0 unless the policy is
/// kEvery.
struct RecomputePlan {
  RecomputePolicy policy = RecomputePolicy::kNone;
  std::int64_t every = 0;
  friend bool operator==(const RecomputePlan&, const RecomputePlan&) = default;
};

}  // namespace headroom
