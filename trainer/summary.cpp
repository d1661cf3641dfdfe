#include "trainer/summary.h"

#include "core/io/atomic_file.h"

#include <nlohmann/json.hpp>

namespace headroom::trainer {

void write_summary(const RunDirectory& directory, const Plan& plan, const EndRecord& end) {
  nlohmann::ordered_json json;
  json["schema_version"] = RunRecord::kSchemaVersion;
  json["model"] = model_type(plan.model);
  json["reason"] = end.reason;
  json["message"] = end.message;
  json["steps"] = end.step;
  json["wall_s"] = end.wall_s;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  add("first_loss", end.first_loss);
  add("last_loss", end.last_loss);
  add("best_loss", end.best_loss);
  add("items_per_s", end.items_per_s);
  add("mfu", end.mfu);
  io::write_atomically(directory.summary(), json.dump(2) + "\n");
}

}  // namespace headroom::trainer
