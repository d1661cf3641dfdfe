#pragma once

#include "core/describe/error.h"
#include "core/describe/plan.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace headroom {

/// Where the value of a plan key came from. A key without an origin has its default.
struct Origin {
  SourceLocation where;  ///< file, line and column, or in `file` the text of an override
  bool override_word = false;
};
/// By canonical path.
using Origins = std::map<std::string, Origin, std::less<>>;
/// Canonical paths of keys whose values could not be used.
using BrokenKeys = std::set<std::string, std::less<>>;

/// Gives every key that `given` does not name its default, in the order of the schema, and checks
/// what concerns several keys at once. The window calls it after each edit. Returns all problems;
/// with `broken` keys, what depends on them is not judged.
[[nodiscard]] std::vector<Problem> resolve(Plan& plan,
                                           const Origins& given,
                                           const BrokenKeys& broken = {});

/// What a plan that estimates fine still lacks for a run: where the data is.
[[nodiscard]] std::vector<Problem> problems_before_training(const Plan& plan);

/// Where the value came from, for people: `plan.yaml:3:5`, `override 1 'lr=1'`, `default`.
[[nodiscard]] std::string origin_text(const Origins& origins, std::string_view key);

}  // namespace headroom
