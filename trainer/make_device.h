#pragma once

#include "core/describe/plan.h"
#include "core/runtime/device.h"

#include <memory>

namespace headroom::trainer {

/// The device a plan trains on. `auto` takes a CUDA device if there is one and the processor
/// otherwise; `cuda` without a usable GPU is an Error that says exactly what is missing.
[[nodiscard]] std::unique_ptr<runtime::Device> make_device(const Plan& plan);

}  // namespace headroom::trainer
