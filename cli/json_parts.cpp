#include "cli/json_parts.h"

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

}  // namespace headroom::cli
