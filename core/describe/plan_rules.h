#pragma once

#include "core/describe/plan_resolve.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A rule that was not kept, told at the key where it is best mended.
struct BrokenRule {
  std::string key;
  std::string message;
  std::string hint;
};

/// What several keys of a resolved plan must have in common.
struct Rule {
  std::vector<std::string_view> keys;  ///< judged only when all of these are usable
  std::optional<BrokenRule> (*check)(const Plan& plan, const Origins& given);
};

[[nodiscard]] std::span<const Rule> plan_rules();

}  // namespace headroom
