#include "core/describe/arena_plan.h"
#include "core/describe/format.h"
#include "core/models/training_step.h"
#include "estimator/frameworks/lowering.h"

namespace headroom::estimator {

Lowering lower_headroom(const Plan& plan, const DeviceTraits& device) {
  const Step step = models::training_step(plan, device);
  const ArenaPlan arena = plan_arena(step);
  Lowering result{.trace = trace_of(step),
                  .work = work_of(step),
                  .reserved = arena.device_bytes(),
                  .host_reserved = arena.host_bytes,
                  .parameters = step.parameter_count};
  result.assumptions.push_back(
      "every tensor has a fixed place, laid out before the first step; fixed places cost " +
      format_bytes(arena.packing_loss()) + " beyond the most that is ever alive");
  if (plan.training.optimizer_in_backward) {
    result.assumptions.push_back(
        "each parameter is updated as soon as its gradient is complete, so gradients do not all "
        "live at once (training.optimizer_in_backward)");
  }
  return result;
}

}  // namespace headroom::estimator
