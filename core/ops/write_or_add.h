#pragma once

#include "core/runtime/backend.h"
#include "core/runtime/rows/storage.h"

#include <cstdint>

namespace headroom::ops::HEADROOM_KERNELS {

/// y[i] = f(x[i]...), or y[i] += f(x[i]...): how a gradient is written. y may be one of the x only
/// where nothing is added.
template <class Team, class T, class F, class... X>
HEADROOM_HD void write_or_add(Team& team, std::int64_t n, T* y, bool add, const F& f, X... x) {
  if (add) {
    team.apply(
        n, [=](auto& total, auto... v) { total += f(v...); }, runtime::rows::inout(y), x...);
  } else {
    team.map(n, y, f, x...);
  }
}

}  // namespace headroom::ops::HEADROOM_KERNELS
