#pragma once

#include "core/describe/step.h"
#include "core/describe/work.h"

namespace headroom {

/// The work list of a step: one line per op call, sections folded by their repeat count.
[[nodiscard]] WorkList work_of(const Step& step);

/// FLOPs of the matrix products of forward, loss and backward: the numerator of MFU.
[[nodiscard]] Flops model_flops(const WorkList& work);

}  // namespace headroom
