#include "core/models/training_step.h"

#include "core/models/build.h"
#include "core/optim/rules.h"

namespace headroom::models {

Step training_step(const Plan& plan, const DeviceTraits& device, DType compute) {
  return make_step(build_graph(plan, compute), optim::make_rule(plan.training.optimizer),
                   {.accumulation = plan.training.gradient_accumulation_steps,
                    .optimizer_in_backward = plan.training.optimizer_in_backward,
                    .grad_clip_norm = plan.training.grad_clip_norm,
                    .input_slots = device.input_slots,
                    .staged_inputs = device.staged_inputs,
                    .matmul_workspace = device.matmul_workspace});
}

}  // namespace headroom::models
