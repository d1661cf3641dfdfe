#pragma once

#include "core/runtime/rows/lane_team.h"
#include "core/runtime/rows/sim_block.h"

#include <cstdint>
#include <cstring>

namespace headroom::runtime::rows {

/// A GPU block simulated on the host, for tests: the lanes, the elements each takes, the reduction
/// tree and the barriers are BlockTeam's; only the shuffles are replaced. It shows races as wrong
/// results, or as results that change with `Order`. Slow: about 0.1 ms per barrier.
/// Source: the shuffle order of BlockTeam (xor distances 16 to 1 in a warp, then between warps).
template <int LaneCount, LaneOrder Order = LaneOrder::kReverse>
class SimTeam : public LaneTeam<SimTeam<LaneCount, Order>, LaneCount> {
 public:
  SimTeam(SimBlock& block, int lane) : block_(block), lane_(lane) {}

  /// Runs rows one after another, the last first unless the order is forward, each as a block.
  template <class Program>
  static void run_rows(const Program& program, std::int64_t rows) {
    SimBlock block(LaneCount, Order);
    block.run([&](int lane) {
      SimTeam team(block, lane);
      for (std::int64_t i = 0; i < rows; ++i) {
        program(team, Order == LaneOrder::kForward ? i : rows - 1 - i);
        team.sync();
      }
    });
  }

  [[nodiscard]] HEADROOM_HD int lane() const { return lane_; }

  // These three stand where the device has instructions; nothing calls them there, and the macro
  // keeps nvcc from compiling them for it.
  HEADROOM_HD void enter([[maybe_unused]] Collective call) {
#ifndef __CUDA_ARCH__
    block_.barrier(call);
#endif
  }
  HEADROOM_HD void sync() { enter({"sync", 0}); }

  template <class Op, class V>
  HEADROOM_HD V reduce([[maybe_unused]] V value) {
#ifndef __CUDA_ARCH__
    V* cells = block_.cells<V>();
    cells[lane_] = value;
    block_.set_reduced(false);
    enter({"the barrier inside a reduction", 0});
    if (!block_.reduced()) {
      for (int warp = 0; warp < LaneCount; warp += 32) {
        cells[warp / 32] = butterfly<Op>(cells + warp, 32);
      }
      cells[0] = butterfly<Op>(cells, LaneCount / 32);
      block_.set_reduced(true);
    }
    return cells[0];
#else
    return V{};
#endif
  }

  template <class V, int Count>
  HEADROOM_HD V* scratch() {
#ifndef __CUDA_ARCH__
    return block_.template shared<V>(Count);
#else
    return nullptr;
#endif
  }

 private:
  /// What lane 0 gets from xor shuffles over `width` lanes; the others get the same bits, since Op
  /// commutes.
  template <class Op, class V>
  static V butterfly(const V* values, int width) {
    V v[32];
    for (int l = 0; l < width; ++l) v[l] = values[l];
    for (int distance = width / 2; distance > 0; distance /= 2) {
      for (int l = 0; l < distance; ++l) {
        Op op{v[l]};
        op(v[l + distance]);
        v[l] = op.total;
      }
    }
    return v[0];
  }

  SimBlock& block_;
  int lane_;
};

}  // namespace headroom::runtime::rows
