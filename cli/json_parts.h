#pragma once

#include "core/describe/category.h"
#include "core/describe/plan.h"
#include "core/describe/units.h"

#include <nlohmann/json.hpp>

namespace headroom::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonSchemaVersion = 1;

/// `{"parameters_bytes": 123, ...}`: every category, also those at 0.
[[nodiscard]] Json categories_json(const PerCategory<Bytes>& bytes);
/// The resolved plan, nested as in its file.
[[nodiscard]] Json plan_json(const Plan& plan);

}  // namespace headroom::cli
