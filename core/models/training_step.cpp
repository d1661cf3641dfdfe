#include "core/models/training_step.h"

#include "core/describe/error.h"
#include "core/models/build.h"
#include "core/optim/rules.h"

#include <utility>
#include <vector>

namespace headroom::models {
namespace {

/// Throws unless the engine does all that the plan asks for. Nothing is quietly ignored.
void check_supported(const Plan& plan) {
  std::vector<Problem> problems;
  const auto refuse = [&](const char* key, const std::string& what, const char* hint) {
    problems.push_back({.where = {}, .key = key, .message = what, .hint = hint});
  };
  const Precision precision = plan.training.precision;
  if (precision == Precision::kTf32 || precision == Precision::kFp8Mixed) {
    refuse("training.precision",
           "the engine of this version does not compute in " + std::string(name(precision)),
           "use f32, bf16-mixed, bf16-true or fp16-mixed");
  }
  if (const auto* model = std::get_if<TransformerPlan>(&plan.model.family);
      model != nullptr && model->kind == TransformerKind::kMoe) {
    refuse("model.type", "the engine of this version does not train mixtures of experts",
           "use gpt2 or llama");
  }
  const ParallelPlan& parallel = plan.parallel;
  const std::pair<const char*, bool> splits[] = {
      {"parallel.tensor", parallel.tensor > 1},
      {"parallel.pipeline", parallel.pipeline > 1},
      {"parallel.context", parallel.context > 1},
      {"parallel.expert", parallel.expert > 1},
      {"parallel.zero_stage", parallel.zero_stage > 0},
  };
  for (const auto& [key, used] : splits) {
    if (used) refuse(key, "the engine of this version does not split a model", "use parallel.data");
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

}  // namespace

Step training_step(const Plan& plan, const DeviceTraits& device) {
  check_supported(plan);
  return training_step(plan, device, compute_types(plan.training.precision));
}

Step training_step(const Plan& plan, const DeviceTraits& device, const ComputeTypes& types) {
  check_supported(plan);
  const Precision precision = plan.training.precision;
  return make_step(build_graph(plan, types), optim::make_rule(plan.training.optimizer),
                   {.accumulation = plan.training.gradient_accumulation_steps,
                    .optimizer_in_backward = plan.training.optimizer_in_backward,
                    .recompute = plan.training.activation_checkpointing,
                    .master_parameters = precision != Precision::kBf16True,
                    .grad_norm = precision == Precision::kFp16Mixed,
                    .grad_clip_norm = plan.training.grad_clip_norm,
                    .evaluation = plan.training.eval_every > 0,
                    .input_slots = device.input_slots,
                    .staged_inputs = device.staged_inputs,
                    .matmul_workspace = device.matmul_workspace});
}

}  // namespace headroom::models
