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
  if (plan.training.precision != Precision::kF32) {
    refuse("training.precision",
           "the engine of this version computes in f32, not in " +
               std::string(name(plan.training.precision)),
           "use f32");
  }
  if (plan.training.activation_checkpointing.policy != RecomputePolicy::kNone) {
    refuse("training.activation_checkpointing",
           "nothing can be recomputed in a " + std::string(model_type(plan.model)), "use none");
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

Step training_step(const Plan& plan, const DeviceTraits& device, DType compute) {
  check_supported(plan);
  return make_step(build_graph(plan, compute), optim::make_rule(plan.training.optimizer),
                   {.accumulation = plan.training.gradient_accumulation_steps,
                    .optimizer_in_backward = plan.training.optimizer_in_backward,
                    .grad_clip_norm = plan.training.grad_clip_norm,
                    .input_slots = device.input_slots,
                    .staged_inputs = device.staged_inputs,
                    .matmul_workspace = device.matmul_workspace});
}

}  // namespace headroom::models
