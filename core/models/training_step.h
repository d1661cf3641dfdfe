#pragma once

#include "core/describe/device_traits.h"
#include "core/describe/plan.h"
#include "core/describe/step.h"
#include "core/models/build.h"

namespace headroom::models {

/// The whole training step of a plan on one device, as the engine runs it and the estimator
/// counts it.
/// Errors: ShapeError; ConfigError naming every key that asks for what the engine does not do, such
/// as ways of splitting a model over devices.
[[nodiscard]] Step training_step(const Plan& plan, const DeviceTraits& device);
/// The same with other storage types than the plan's precision has.
[[nodiscard]] Step training_step(const Plan& plan,
                                 const DeviceTraits& device,
                                 const ComputeTypes& types);

}  // namespace headroom::models
