#include "core/models/training_step.h"
#include "core/optim/rules.h"
#include "estimator/frameworks/lowering.h"

#include <variant>

namespace headroom::estimator {
namespace {

std::int64_t activations_per_sample(const CruncherPlan& model) {
  return checked_multiply(model.dim, model.num_layers, "activations");
}

std::int64_t activations_per_sample(const MlpPlan& model) {
  std::int64_t count = 0;
  for (std::int64_t size : model.hidden_sizes) count += size;
  return count;
}

/// The lecture counts what each layer hands on; here that is the residual stream of every token.
std::int64_t activations_per_sample(const TransformerPlan& model) {
  return checked_multiply(model.hidden_size, model.num_hidden_layers, "activations");
}

/// State elements per parameter of the plan's optimizer: 0 for plain SGD, 1 for AdaGrad, 2 for
/// Adam.
std::int64_t states_per_parameter(const Plan& plan) {
  const TensorType one{Shape{{"parameter", 1}}, DType::kF32};
  return static_cast<std::int64_t>(optim::make_rule(plan.training.optimizer)->states(one).size());
}

}  // namespace

Textbook textbook(const Plan& plan) {
  const std::int64_t element = size_of(DType::kF32);
  const std::int64_t P = models::training_step(plan, kCpuTraits).parameter_count;
  const std::int64_t B =
      checked_multiply(plan.training.micro_batch_size,
                       reads_tokens(plan.model) ? plan.training.seq_len.value_or(1) : 1, "tokens");
  const std::int64_t per_sample = std::visit(
      [](const auto& model) { return activations_per_sample(model); }, plan.model.family);
  const auto bytes = [&](std::int64_t count) {
    return Bytes(checked_multiply(count, element, "textbook bytes"));
  };
  return {.parameters = bytes(P),
          .activations = bytes(checked_multiply(B, per_sample, "activations")),
          .gradients = bytes(P),
          .optimizer_state = bytes(checked_multiply(P, states_per_parameter(plan), "state"))};
}

Lowering lower_textbook(const Plan& plan, const DeviceTraits& device) {
  const Textbook sum = textbook(plan);
  const Step step = models::training_step(plan, device);
  Lowering result{.trace = {},
                  .work = work_of(step),
                  .reserved = sum.total(),
                  .host_reserved = Bytes(0),
                  .parameters = step.parameter_count};
  const auto add = [&](std::string_view name, Category category, Bytes bytes, Phase phase) {
    const auto index = static_cast<std::int32_t>(result.trace.tensors.size());
    result.trace.tensors.push_back(
        {.name = {.stem = name}, .payload = bytes, .allocated = bytes, .category = category});
    result.trace.events.push_back({true, index, phase, "textbook"});
  };
  add("parameters", Category::kParameters, sum.parameters, Phase::kInit);
  add("optimizer_state", Category::kOptimizerState, sum.optimizer_state, Phase::kInit);
  add("activations", Category::kActivations, sum.activations, Phase::kForward);
  add("gradients", Category::kGradients, sum.gradients, Phase::kBackward);
  result.assumptions.push_back(
      "the lecture's sum, 4 (P + A + G + O): no batch, no temporaries, no rounding, everything "
      "alive at once");
  return result;
}

}  // namespace headroom::estimator
