#include "core/describe/step.h"

#include <algorithm>

namespace headroom {
namespace {

bool ends_with_step(const Step& step, TensorId id) {
  return !id.none() && step.tensor(id).lifetime == Lifetime::kStep;
}

bool contains(const auto& list, TensorId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

// The usual backward scan: a use of a tensor that nobody needs later is its last one; a plain
// write is its birth. A section that repeats needs no fixed point: whatever crosses its border
// (gradients being accumulated) is used again by the section that follows.
std::vector<std::vector<CallLiveness>> liveness(const Step& step) {
  std::vector<std::vector<CallLiveness>> all(step.sections.size());
  std::vector<bool> live(step.tensors.size(), false);
  for (std::size_t s = step.sections.size(); s-- > 0;) {
    const std::vector<OpCall>& calls = step.sections[s].calls;
    all[s].resize(calls.size());
    for (std::size_t c = calls.size(); c-- > 0;) {
      const OpCall& call = calls[c];
      CallLiveness& here = all[s][c];
      const auto use = [&](TensorId id) {
        if (!ends_with_step(step, id)) return;
        if (!live[id.at()] && !contains(here.dies, id)) here.dies.push_back(id);
      };
      for (std::size_t w = 0; w < call.writes.size(); ++w) use(call.writes[w]);
      use(call.workspace);
      for (TensorId id : call.reads) use(id);

      // Added-to operands first: one call may both begin a tensor and add to it (x * x).
      for (std::size_t w = 0; w < call.writes.size(); ++w) {
        if (call.accumulates(w) && ends_with_step(step, call.writes[w])) {
          live[call.writes[w].at()] = true;
        }
      }
      for (std::size_t w = 0; w < call.writes.size(); ++w) {
        if (call.accumulates(w) || !ends_with_step(step, call.writes[w])) continue;
        live[call.writes[w].at()] = false;
        here.born |= 1U << w;
      }
      for (TensorId id : call.reads) {
        if (ends_with_step(step, id)) live[id.at()] = true;
      }
    }
  }
  return all;
}

}  // namespace headroom
