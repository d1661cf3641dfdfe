#include "core/describe/work_list.h"

#include "core/describe/error.h"
#include "core/describe/squared_norm.h"

namespace headroom {
namespace {

GradientMask wanted_gradients(const OpCall& call) {
  GradientMask mask = 0;
  const std::size_t first = call.writes.size() - call.operands.size();
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (!call.writes[first + i].none()) mask |= 1U << i;
  }
  return mask;
}

void add_op(
    const Step& step, const Op& op, const OpCall& call, std::int64_t repeat, WorkList& list) {
  TensorTypes types;
  for (TensorId id : call.operands) types.push_back(step.tensor(id).type);
  const std::span<const TensorType> inputs(types.data(), types.size());
  const auto add = [&](const Work& work, Phase phase) {
    list.push_back({.op = op.name(),
                    .phase = phase,
                    .work = work,
                    .repeat = repeat,
                    .recompute = call.recompute || work.again});
  };
  if (call.pass != Pass::kBackward) add(op.forward_work(inputs), call.phase);
  if (call.pass != Pass::kForward) {
    for (const Work& work : op.backward_work(inputs, wanted_gradients(call))) {
      add(work, Phase::kBackward);
    }
  }
}

}  // namespace

WorkList work_of(const Step& step) {
  WorkList list;
  for (const Section& section : step.sections) {
    for (const OpCall& call : section.calls) {
      if (const auto* op = dynamic_cast<const Op*>(call.op)) {
        add_op(step, *op, call, section.repeat, list);
      } else if (const auto* rule = dynamic_cast<const UpdateRule*>(call.op)) {
        list.push_back({.op = rule->name(),
                        .phase = call.phase,
                        .work = rule->update_work(step.tensor(call.writes[0]).type),
                        .repeat = section.repeat});
      } else if (dynamic_cast<const SquaredNorm*>(call.op) != nullptr) {
        list.push_back({.op = call.op->name(),
                        .phase = call.phase,
                        .work = SquaredNorm::work(step.tensor(call.reads[0]).type),
                        .repeat = section.repeat});
      } else {
        throw Error("no work is described for " + std::string(call.op->name()));
      }
    }
  }
  return list;
}

Flops model_flops(const WorkList& work) {
  Flops total;
  for (const WorkItem& item : work) {
    if (item.phase == Phase::kOptimizer || item.recompute) continue;
    total += item.work.matmul_flops * static_cast<double>(item.repeat);
  }
  return total;
}

}  // namespace headroom
