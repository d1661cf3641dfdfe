#include "core/describe/recompute.h"

namespace headroom {
namespace {

bool keeps_result(const RecomputePlan& plan, RecomputeCost cost) {
  switch (plan.policy) {
    case RecomputePolicy::kNone:
      return true;
    case RecomputePolicy::kElementwise:
      return cost != RecomputeCost::kElementwise;
    case RecomputePolicy::kSelective:
      return cost == RecomputeCost::kMatmul;
    case RecomputePolicy::kFull:
    case RecomputePolicy::kEvery:
      return false;
  }
  return true;
}

}  // namespace

std::vector<bool> kept_tensors(const Graph& graph, const RecomputePlan& plan) {
  std::vector<bool> kept(graph.tensors().size(), true);
  if (plan.policy == RecomputePolicy::kNone) return kept;
  const bool whole_blocks =
      plan.policy == RecomputePolicy::kFull || plan.policy == RecomputePolicy::kEvery;
  const std::int64_t every = plan.policy == RecomputePolicy::kEvery ? plan.every : 1;
  std::int64_t block = -1;  // the block that calls belong to; -1 before the first one
  for (TensorId id : graph.inputs()) {
    if (begins_block(graph.stream_role(id))) ++block;
  }
  for (const ForwardCall& call : graph.calls()) {
    for (TensorId id : call.outputs) {
      if (begins_block(graph.stream_role(id))) ++block;
    }
    const bool inside = block >= 0 && block < graph.block_count();
    for (TensorId id : call.outputs) {
      const StreamRole role = graph.stream_role(id);
      if (whole_blocks) {
        kept[id.at()] = !inside || (begins_block(role) && block % every == 0);
      } else {
        const bool stream = role == StreamRole::kBlockInput || role == StreamRole::kInside;
        kept[id.at()] = stream || keeps_result(plan, call.op->recompute_cost());
      }
    }
  }
  return kept;
}

}  // namespace headroom
