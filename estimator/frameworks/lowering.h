#pragma once

#include "core/describe/device_traits.h"
#include "core/describe/plan.h"
#include "core/describe/trace.h"
#include "core/describe/work_list.h"

#include <string>
#include <vector>

namespace headroom::estimator {

/// A plan under one framework: what the framework keeps in memory, and what it computes.
struct Lowering {
  Trace trace;
  WorkList work;        ///< of one optimizer step
  Bytes reserved;       ///< what the framework's allocator holds on the device
  Bytes host_reserved;  ///< pinned host memory
  std::int64_t parameters = 0;
  std::vector<std::string> assumptions;
};

/// Our own engine: the very step it runs, laid out by the planner it uses.
[[nodiscard]] Lowering lower_headroom(const Plan& plan, const DeviceTraits& device);

/// The accounting of the lecture notes: bytes x (parameters + activations + gradients + optimizer
/// state), all alive at once.
[[nodiscard]] Lowering lower_textbook(const Plan& plan, const DeviceTraits& device);

/// The parts of the textbook sum.
struct Textbook {
  Bytes parameters, activations, gradients, optimizer_state;
  [[nodiscard]] Bytes total() const {
    return parameters + activations + gradients + optimizer_state;
  }
};
/// Activations are the outputs of every layer but the last, B values wide each: B D L for the
/// Cruncher, as in the notes. Errors: ShapeError past 2^63 - 1.
[[nodiscard]] Textbook textbook(const Plan& plan);

/// Lowers by `plan.framework`. Errors: ConfigError if this version has no such lowering.
[[nodiscard]] Lowering lower(const Plan& plan, const DeviceTraits& device);

}  // namespace headroom::estimator
