#pragma once

#include "core/describe/graph.h"
#include "core/describe/recompute_plan.h"

#include <vector>

namespace headroom {

/// Which tensors of the forward pass stay until backward reads them, by tensor number; the others
/// are computed again from those that stay. Parameters and batches always stay.
///   none         everything stays
///   elementwise  results of cheap ops go (norms, activation functions, dropout), but not the
///                residual stream, from which they are had again
///   selective    results of attention go as well
///   full         only the input of every block stays
///   every k      only the input of every k-th block stays
/// What lies outside the blocks stays under `full` and `every`. A graph without blocks has nothing
/// that `full` could drop.
[[nodiscard]] std::vector<bool> kept_tensors(const Graph& graph, const RecomputePlan& plan);

}  // namespace headroom
