#include "cli/estimate_report.h"
#include "cli/json_parts.h"

#include <nlohmann/json.hpp>

namespace headroom::cli {
namespace {

using estimator::Estimate;

Json usage_json(const estimator::DeviceMemoryEstimate& device) {
  Json json;
  json["device"] = device.device;
  json["role"] = device.role;
  json["at_peak"] = categories_json(device.usage.at_peak);
  json["allocated_at_peak"] = categories_json(device.usage.allocated_at_peak);
  json["tensors_peak_bytes"] = device.usage.tensors_peak.value();
  json["allocated_peak_bytes"] = device.usage.allocated_peak.value();
  json["reserved_peak_bytes"] = device.reserved.value();
  json["context_bytes"] = device.context.value();
  json["device_peak_bytes"] = device.device_peak().value();
  json["peak_phase"] = name(device.usage.peak_phase);
  json["peak_op"] = device.usage.peak_op;
  return json;
}

Json timeline_json(const Estimate& e) {
  Json list = Json::array();
  for (const TimelinePoint& point : timeline(e.trace)) {
    list.push_back({{"phase", name(point.phase)},
                    {"op", point.op},
                    {"total_bytes", point.total.value()},
                    {"categories", categories_json(point.by_category)}});
  }
  return list;
}

Json memory_json(const Estimate& e, bool with_timeline) {
  Json json;
  for (const auto& device : e.devices) json["devices"].push_back(usage_json(device));
  json["steady"] = categories_json(e.device().usage.steady);
  json["textbook"] = {{"parameters_bytes", e.textbook.parameters.value()},
                      {"activations_bytes", e.textbook.activations.value()},
                      {"gradients_bytes", e.textbook.gradients.value()},
                      {"optimizer_state_bytes", e.textbook.optimizer_state.value()},
                      {"total_bytes", e.textbook.total().value()}};
  if (with_timeline) json["timeline"] = timeline_json(e);
  return json;
}

Json flops_json(const Estimate& e) {
  const estimator::FlopsCount& flops = e.flops;
  const Flops forward = flops.phase(Phase::kForward) + flops.phase(Phase::kLoss);
  const double ranks = static_cast<double>(e.plan.parallel.data);
  Json json;
  json["forward"] = forward.value();
  json["backward"] = flops.phase(Phase::kBackward).value();
  json["optimizer"] = flops.phase(Phase::kOptimizer).value();
  json["step"] = flops.total().value();
  if (e.steps) json["run"] = flops.total().value() * ranks * *e.steps;
  json["six_n_p"] = e.flops_explained.six_n_p.value();
  for (const auto& term : e.flops_explained.terms) {
    json["difference"].push_back({{"reason", term.reason}, {"flops", term.flops.value()}});
  }
  json["per_" + e.item] = {{"six_n", 6.0 * static_cast<double>(e.model.parameters)},
                           {"hardware", flops.total().value() / (e.items_per_step / ranks)}};
  for (const auto& op : flops.by_op) {
    json["by_op"].push_back({{"op", op.op},
                             {"phase", name(op.phase)},
                             {"calls", op.calls},
                             {"matmul", op.matmul.value()},
                             {"other", op.other.value()}});
  }
  return json;
}

Json time_json(const Estimate& e) {
  if (!e.time) return nullptr;
  const estimator::StepTime& time = *e.time;
  Json json;
  json["step_s"] = time.step.typical.value();
  json["low_s"] = time.step.low.value();
  json["high_s"] = time.step.high.value();
  json[e.item + "s_per_s"] = time.items_per_second;
  if (time.mfu.peak.value() > 0) {
    json["mfu"] = time.mfu.value;
    json["hfu"] = time.hfu.value;
    json["peak_flops_per_s"] = time.mfu.peak.value();
    json["mfu_convention"] = time.mfu.convention;
  }
  json["bound"] = name(time.bound);
  if (e.steps) json["run_s"] = time.step.typical.value() * *e.steps;
  return json;
}

Json cost_json(const Estimate& e) {
  if (!e.cost) return nullptr;
  Json json;
  json["gpu_hours"] = e.cost->gpu_hours.typical;
  if (e.cost->run) {
    json["usd"] = e.cost->run->typical.value();
    json["low_usd"] = e.cost->run->low.value();
    json["high_usd"] = e.cost->run->high.value();
  }
  if (e.cost->per_step) json["step_usd"] = e.cost->per_step->typical.value();
  json["price"] = price_note(*e.cost, e.hardware);
  return json;
}

Json verdict_json(const Estimate& e) {
  Json json;
  if (e.verdict.fits) {
    json["fits"] = *e.verdict.fits;
  } else {
    json["fits"] = nullptr;
  }
  if (e.verdict.capacity) json["capacity_bytes"] = e.verdict.capacity->value();
  json["headroom_bytes"] = e.verdict.headroom.value();
  json["band_bytes"] = e.verdict.band.value();
  json["suggestions"] = Json::array();
  for (const auto& s : e.verdict.suggestions) {
    json["suggestions"].push_back({{"change", s.change},
                                   {"effect", s.effect},
                                   {"saves_bytes", s.saves.value()},
                                   {"step_time_ratio", s.step_time_ratio},
                                   {"fits", s.fits}});
  }
  return json;
}

}  // namespace

std::string estimate_json(const Estimate& e, const ReportOptions& options) {
  Json json;
  json["schema_version"] = kJsonSchemaVersion;
  json["plan"] = plan_json(e.plan);
  json["hardware"] = e.hardware.name;
  json["model"] = {{"parameters", e.model.parameters},
                   {"trainable_parameters", e.model.trainable},
                   {"non_embedding_parameters", e.model.non_embedding}};
  json["memory"] = memory_json(e, options.timeline);
  json["flops"] = flops_json(e);
  json["time"] = time_json(e);
  json["cost"] = cost_json(e);
  json["verdict"] = verdict_json(e);
  json["assumptions"] = e.assumptions;
  json["warnings"] = e.warnings;
  return json.dump(2) + "\n";
}

}  // namespace headroom::cli
