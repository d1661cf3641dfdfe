#include "cli/json_parts.h"

#include "core/describe/plan_resolve.h"
#include "core/describe/plan_schema.h"

namespace headroom::cli {
namespace {

Json value_json(const KeyValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>) {
          return nullptr;
        } else {
          return v;
        }
      },
      value);
}

}  // namespace

Json categories_json(const PerCategory<Bytes>& bytes) {
  Json json = Json::object();
  for (Category category : all_categories()) {
    json[std::string(name(category)) + "_bytes"] = bytes[category].value();
  }
  return json;
}

Json plan_json(const Plan& plan) {
  Json root = Json::object();
  for (const KeySpec& key : plan_schema()) {
    if (key.loader || key.derived || !key.applies_to(plan) || key.access.get == nullptr) continue;
    const KeyValue value = key.access.get(plan);
    if (std::holds_alternative<std::monostate>(value)) continue;
    Json* place = &root;
    std::string_view path = key.path;
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
      place = &(*place)[std::string(path.substr(0, dot))];
      path.remove_prefix(dot + 1);
    }
    (*place)[std::string(path)] = value_json(value);
  }
  return root;
}

std::string plan_document_json(const LoadedPlan& loaded) {
  Json json;
  json["schema_version"] = kJsonSchemaVersion;
  json["plan"] = plan_json(loaded.plan);
  json["origins"] = Json::object();
  for (const auto& [key, origin] : loaded.origins) {
    json["origins"][std::string(key)] = origin_text(loaded.origins, key);
  }
  return json.dump(2) + "\n";
}

}  // namespace headroom::cli
