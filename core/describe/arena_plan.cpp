#include "core/describe/arena_plan.h"

#include "core/describe/error.h"

#include <algorithm>
#include <map>

namespace headroom {
namespace {

/// A piece of the step arena and when it is in use: calls [first, last] counted over the step.
struct Block {
  std::int64_t size = 0;
  int first = 0, last = 0;
  std::int64_t offset = 0;
  std::vector<TensorId> tensors;  ///< more than one when a call worked in place
};

/// Storage lifetimes from the liveness of the calls. A tensor that is born again in a later
/// section keeps its offset, so all its lives share one block list entry per life.
std::vector<Block> find_blocks(const Step& step) {
  std::vector<Block> blocks;
  std::vector<int> open(step.tensors.size(), -1);  // block a live tensor occupies
  const auto lives = liveness(step);
  int now = 0;
  for (std::size_t s = 0; s < step.sections.size(); ++s) {
    for (std::size_t c = 0; c < step.sections[s].calls.size(); ++c, ++now) {
      const OpCall& call = step.sections[s].calls[c];
      const CallLiveness& live = lives[s][c];
      const auto begin = [&](TensorId id) {
        open[id.at()] = static_cast<int>(blocks.size());
        blocks.push_back({allocated_size(step.bytes(id)).value(), now, now, 0, {id}});
      };
      for (std::size_t w = 0; w < call.writes.size(); ++w) {
        if (((live.born >> w) & 1U) == 0) continue;
        const TensorId id = call.writes[w];
        const auto* rule =
            std::find_if(call.in_place.begin(), call.in_place.end(),
                         [&](const InPlace& r) { return r.write == static_cast<int>(w); });
        if (rule == call.in_place.end()) {
          begin(id);
        } else {
          const TensorId source = call.reads[static_cast<std::size_t>(rule->read)];
          open[id.at()] = open[source.at()];
          blocks[static_cast<std::size_t>(open[id.at()])].tensors.push_back(id);
        }
      }
      if (!call.workspace.none()) begin(call.workspace);
      for (TensorId id : live.dies) {
        blocks[static_cast<std::size_t>(open[id.at()])].last = now;
      }
    }
  }
  return blocks;
}

/// Tensors that appear in several lives must sit at one offset: their blocks are merged into one
/// whose life covers all. Gradients of parameters stay one block; activations of a repeated
/// micro batch become one block per tensor.
struct Group {
  std::vector<std::size_t> blocks;
  std::int64_t size = 0;
  std::int64_t offset = -1;
};

std::vector<Group> group_by_tensor(const Step& step, const std::vector<Block>& blocks) {
  std::vector<int> parent(blocks.size());
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = static_cast<int>(i);
  const auto root = [&](int i) {
    while (parent[static_cast<std::size_t>(i)] != i) i = parent[static_cast<std::size_t>(i)];
    return i;
  };
  std::vector<int> owner(step.tensors.size(), -1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (TensorId id : blocks[b].tensors) {
      int& first = owner[id.at()];
      if (first < 0) {
        first = static_cast<int>(b);
      } else {
        parent[static_cast<std::size_t>(root(static_cast<int>(b)))] = root(first);
      }
    }
  }
  std::vector<Group> groups;
  std::vector<int> group_of(blocks.size(), -1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    int& group = group_of[static_cast<std::size_t>(root(static_cast<int>(b)))];
    if (group < 0) {
      group = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    Group& target = groups[static_cast<std::size_t>(group)];
    target.blocks.push_back(b);
    target.size = std::max(target.size, blocks[b].size);
  }
  return groups;
}

bool overlap_in_time(const std::vector<Block>& blocks, const Group& a, const Group& b) {
  for (std::size_t i : a.blocks) {
    for (std::size_t j : b.blocks) {
      if (blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last) return true;
    }
  }
  return false;
}

/// Greedy by size: the largest first, each at the lowest offset where it fits beside the already
/// placed ones that live at the same time.
std::int64_t place(const std::vector<Block>& blocks, std::vector<Group>& groups) {
  std::vector<std::size_t> order(groups.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return groups[a].size > groups[b].size; });
  std::int64_t end = 0;
  std::vector<std::size_t> placed;  // sorted by offset
  for (std::size_t g : order) {
    std::int64_t offset = 0;
    for (std::size_t other : placed) {
      if (!overlap_in_time(blocks, groups[g], groups[other])) continue;
      if (groups[other].offset >= offset + groups[g].size) break;
      offset = std::max(offset, groups[other].offset + groups[other].size);
    }
    groups[g].offset = offset;
    end = std::max(end, offset + groups[g].size);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [&](std::int64_t value, std::size_t other) {
                                     return value < groups[other].offset;
                                   }),
                  g);
  }
  return end;
}

std::int64_t live_peak(const std::vector<Block>& blocks) {
  std::map<int, std::int64_t> change;  // at call number
  for (const Block& block : blocks) {
    change[block.first] += block.size;
    change[block.last + 1] -= block.size;
  }
  std::int64_t live = 0, peak = 0;
  for (const auto& [call, bytes] : change) peak = std::max(peak, live += bytes);
  return peak;
}

Bytes checked_sum(Bytes a, Bytes b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a.value(), b.value(), &sum)) {
    throw ShapeError("the tensors of this run are larger than any machine can address");
  }
  return Bytes(sum);
}

}  // namespace

ArenaPlan plan_arena(const Step& step) {
  ArenaPlan plan;
  plan.offsets.assign(step.tensors.size(), ArenaPlan::kNoOffset);
  for (std::size_t t = 0; t < step.tensors.size(); ++t) {
    const TensorInfo& tensor = step.tensors[t];
    if (tensor.lifetime != Lifetime::kRun) continue;
    Bytes& end = tensor.place == Place::kHost ? plan.host_bytes : plan.run_bytes;
    plan.offsets[t] = end.value();
    end = checked_sum(end, allocated_size(tensor.type.bytes()));
  }
  std::vector<Block> blocks = find_blocks(step);
  std::vector<Group> groups = group_by_tensor(step, blocks);
  plan.step_bytes = Bytes(place(blocks, groups));
  plan.step_live_peak = Bytes(live_peak(blocks));
  for (const Group& group : groups) {
    for (std::size_t b : group.blocks) {
      for (TensorId id : blocks[b].tensors) plan.offsets[id.at()] = group.offset;
    }
  }
  return plan;
}

}  // namespace headroom
