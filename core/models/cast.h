#pragma once

#include "core/describe/graph.h"

namespace headroom::models {

/// `x` in another dtype: itself where it already has it.
[[nodiscard]] TensorId cast(Graph& graph, TensorId x, DType to);

}  // namespace headroom::models
