#pragma once

#include "core/describe/step.h"
#include "core/describe/work.h"

namespace headroom {

/// The work list of a step, sections folded by their repeat count: a line per forward or update
/// call and per piece of work of a backward call. A forward-and-backward call has both, its
/// gradients' work counted in the backward phase.
[[nodiscard]] WorkList work_of(const Step& step);

/// FLOPs of the matrix products of forward, loss and backward: the numerator of MFU.
[[nodiscard]] Flops model_flops(const WorkList& work);

}  // namespace headroom
