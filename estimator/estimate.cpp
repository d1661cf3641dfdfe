#include "estimator/estimate.h"

#include "core/describe/error.h"
#include "core/models/training_step.h"

#include <algorithm>

namespace headroom::estimator {
namespace {

void estimate_memory(const Lowering& lowering, Estimate& result) {
  const Hardware& hardware = result.hardware;
  const bool gpu = hardware.kind == HardwareKind::kGpu;
  DeviceMemoryEstimate device{.device = gpu ? "gpu 0" : "cpu",
                              .role = "worker",
                              .usage = usage(lowering.trace, Place::kDevice),
                              .reserved = lowering.reserved};
  if (hardware.memory.context) {
    device.context = hardware.memory.context->value;
    device.context_low = hardware.memory.context->low;
    device.context_high = hardware.memory.context->high;
  }
  result.devices.push_back(device);
  if (lowering.host_reserved.value() > 0) {
    result.devices.push_back({.device = "host",
                              .role = "pinned staging",
                              .usage = usage(lowering.trace, Place::kHost),
                              .reserved = lowering.host_reserved});
  }
}

void estimate_flops(Estimate& result) {
  result.flops = count_flops(result.work);
  result.flops_explained =
      explain_flops(result.work, {.items = static_cast<double>(result.items_per_step) /
                                           static_cast<double>(result.plan.parallel.data),
                                  .parameters = static_cast<double>(result.model.parameters)});
  const double devices = static_cast<double>(result.plan.parallel.data);
  result.scale = compare_run(result.flops.total() * devices * result.steps.value_or(1));
}

void estimate_time(const DeviceTraits& traits, Estimate& result) {
  const Plan& plan = result.plan;
  TimeOptions options;
  options.items_per_step = result.items_per_step / static_cast<double>(plan.parallel.data);
  options.convention = "matrix products of the model, multiply-add = 2";
  options.model_flops = model_flops(result.work);
  if (traits.staged_inputs) {
    const Bytes inputs = result.device().usage.steady[Category::kInputs];
    options.host_transfer =
        HostTransfer{.bytes_per_micro_step = Bytes(inputs.value() / traits.input_slots),
                     .micro_steps = plan.training.gradient_accumulation_steps};
  }
  const TimeModel model(result.hardware);
  try {
    result.time = model.step(result.work, options);
  } catch (const ConfigError& error) {
    result.warnings.push_back(std::string("no time estimate: ") + error.what());
    return;
  }
  for (std::string& line : model.assumptions(result.work, options)) {
    result.assumptions.push_back(std::move(line));
  }
  if (!result.steps) {
    result.warnings.push_back(
        "no run time: training.epochs needs a data set that can be opened; the step is estimated");
  }
  std::optional<Usd> price;
  if (plan.hardware.price_per_gpu_hour) price = Usd(*plan.hardware.price_per_gpu_hour);
  result.cost = estimate_cost(result.hardware, result.time->step, result.steps.value_or(1),
                              static_cast<double>(plan.hardware.count), price);
}

void judge(Estimate& result) {
  const DeviceMemoryEstimate& device = result.device();
  Verdict& verdict = result.verdict;
  verdict.band =
      std::max(device.context_high - device.context, device.context - device.context_low);
  const auto total = capacity(result.hardware);
  if (!total) {
    result.warnings.push_back("no verdict: the capacity of " + result.hardware.name +
                              " is not known");
    return;
  }
  verdict.capacity = total->value;
  verdict.headroom = total->value - device.device_peak();
  verdict.fits = verdict.headroom.value() >= 0;
}

std::optional<double> steps_of_run(const Plan& plan, const EstimateOptions& options) {
  if (plan.training.epochs && !options.dataset_items) return std::nullopt;
  return static_cast<double>(total_steps(plan, options.dataset_items.value_or(0)));
}

}  // namespace

DeviceTraits traits_of(const Hardware& hardware) {
  return hardware.kind == HardwareKind::kGpu ? kCudaTraits : kCpuTraits;
}

Estimate estimate(const Plan& plan, const Hardware& hardware, const EstimateOptions& options) {
  const DeviceTraits traits = traits_of(hardware);
  Lowering lowering = lower(plan, traits);
  Estimate result{.plan = plan, .hardware = hardware};
  result.model = {.parameters = lowering.parameters,
                  .trainable = lowering.parameters,
                  .non_embedding = lowering.parameters};
  result.assumptions = std::move(lowering.assumptions);
  result.textbook = textbook(plan);
  result.item = reads_tokens(plan.model) ? "token" : "sample";
  result.items_per_step = static_cast<double>(tokens_per_step(plan));
  result.steps = steps_of_run(plan, options);
  estimate_memory(lowering, result);
  result.trace = std::move(lowering.trace);
  result.work = std::move(lowering.work);
  estimate_flops(result);
  estimate_time(traits, result);
  judge(result);
  if (plan.parallel.data > 1) {
    result.warnings.push_back(
        "data-parallel ranks: memory and time are those of one rank without its communication");
  }
  if (options.suggestions && result.verdict.fits == false) {
    result.verdict.suggestions = suggest(result);
  }
  return result;
}

}  // namespace headroom::estimator
