#include "core/ops/reduce_plan.h"

#include <array>

namespace headroom::ops {

ReducePlan plan_reduce(std::span<const ReducedDim> dims) {
  std::array<std::int64_t, Shape::kMaxRank> stride{};
  std::int64_t next = 1;
  for (std::size_t d = dims.size(); d-- > 0;) {
    stride[d] = next;
    next *= dims[d].size;
  }
  ReducePlan plan;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d].size == 1) continue;
    plan.inner_reduced = dims[d].result_stride == ReducedDim::kReduced;
    if (plan.inner_reduced) {
      plan.reduced.append(dims[d].size, {stride[d]});
    } else {
      plan.kept.append(dims[d].size, {stride[d], dims[d].result_stride});
    }
  }
  return plan;
}

StridedWalk<1> plan_expand(std::span<const ReducedDim> dims) {
  StridedWalk<1> walk;
  for (const ReducedDim& dim : dims) {
    const bool reduced = dim.result_stride == ReducedDim::kReduced;
    walk.append(dim.size, {reduced ? 0 : dim.result_stride});
  }
  return walk;
}

}  // namespace headroom::ops
