#pragma once

#include "core/describe/category.h"
#include "core/describe/plan.h"
#include "core/describe/plan_read.h"
#include "core/describe/units.h"

#include <nlohmann/json.hpp>

namespace headroom::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonSchemaVersion = 1;

/// `{"parameters_bytes": 123, ...}`: every category, also those at 0.
[[nodiscard]] Json categories_json(const PerCategory<Bytes>& bytes);
/// The resolved plan, nested as in its file.
[[nodiscard]] Json plan_json(const Plan& plan);
/// `{schema_version, plan, origins}` as text: where each value that is no default came from.
[[nodiscard]] std::string plan_document_json(const LoadedPlan& loaded);

}  // namespace headroom::cli
