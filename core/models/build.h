#pragma once

#include "core/describe/graph.h"
#include "core/describe/plan.h"

namespace headroom::models {

/// The op list of one micro batch of a plan's model, parameters and loss included.
/// `compute` is the dtype of parameters and activations (f64 in tests of the arithmetic).
/// Errors: ShapeError when sizes overflow or do not fit together.
[[nodiscard]] Graph build_graph(const Plan& plan, DType compute = DType::kF32);

/// One builder per family; each lives in a file of its own.
[[nodiscard]] Graph build_cruncher(const CruncherPlan& model, const Plan& plan, DType compute);
[[nodiscard]] Graph build_mlp(const MlpPlan& model, const Plan& plan, DType compute);

}  // namespace headroom::models
