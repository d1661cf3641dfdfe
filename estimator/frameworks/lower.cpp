#include "core/describe/error.h"
#include "core/describe/plan_enums.h"
#include "estimator/frameworks/lowering.h"

namespace headroom::estimator {

Lowering lower(const Plan& plan, const DeviceTraits& device) {
  switch (plan.framework) {
    case Framework::kHeadroom:
      return lower_headroom(plan, device);
    case Framework::kTextbook:
      return lower_textbook(plan, device);
    case Framework::kPytorch:
    case Framework::kMegatron:
    case Framework::kDeepspeed:
      break;
  }
  throw ConfigError(
      {{.where = {},
        .key = "framework",
        .message = std::string(name(plan.framework)) + " plans are not modelled by this version",
        .hint = "use headroom or textbook"}});
}

}  // namespace headroom::estimator
