#include "cli/compare_report.h"
#include "cli/estimate_report.h"
#include "cli/json_parts.h"

namespace headroom::cli {
namespace {

using estimator::Comparison;
using estimator::Difference;

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json difference_json(const Difference& line) {
  return {{"name", line.name},
          {"predicted_bytes", line.predicted.value()},
          {"measured_bytes", line.measured.value()},
          {"error", optional_json(line.error())}};
}

Json list_json(const std::vector<Difference>& lines) {
  Json list = Json::array();
  for (const Difference& line : lines) list.push_back(difference_json(line));
  return list;
}

}  // namespace

std::string comparison_json(const Comparison& c) {
  Json json;
  json["schema_version"] = kJsonSchemaVersion;
  json["categories"] = list_json(c.tensors);
  json["allocated"] = list_json(c.allocated);
  json["peak"] = {{"tensors", difference_json(c.tensors_peak)},
                  {"allocated", difference_json(c.allocated_peak)},
                  {"reserved", difference_json(c.reserved)},
                  {"predicted_phase", c.predicted_peak_phase},
                  {"predicted_op", c.predicted_peak_op},
                  {"measured_phase", c.measured_peak_phase},
                  {"measured_op", c.measured_peak_op},
                  {"device_bytes", c.device_peak.value()}};
  json["fixed_parts"] = Json::array();
  for (const auto& [name, bytes] : c.fixed_parts) {
    json["fixed_parts"].push_back({{"name", name}, {"bytes", bytes.value()}});
  }
  json["unexplained_bytes"] = c.unexplained.value();
  json["step_time"] = {
      {"predicted_s", c.predicted_step ? Json(c.predicted_step->value()) : Json(nullptr)},
      {"measured_s", c.measured_step ? Json(c.measured_step->value()) : Json(nullptr)},
      {"error", optional_json(c.step_error())}};
  json["mfu"] = {{"predicted", optional_json(c.predicted_mfu)},
                 {"measured", optional_json(c.measured_mfu)}};
  json["loss"] = {{"first", optional_json(c.first_loss)}, {"last", optional_json(c.last_loss)}};
  return json.dump(2) + "\n";
}

std::string plans_json(const std::vector<PlanColumn>& plans) {
  Json json;
  json["schema_version"] = kJsonSchemaVersion;
  for (const PlanColumn& plan : plans) {
    Json entry = Json::parse(estimate_json(plan.estimate, {}));
    entry["name"] = plan.name;
    json["plans"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

}  // namespace headroom::cli
