#pragma once

#include "core/ops/partials.h"
#include "core/runtime/backend.h"

namespace headroom::ops::HEADROOM_KERNELS {

/// result (+)= factor * sum of kRowPartials partial sums, in order. One row.
template <class A>
struct ScaledTotal {
  const A* partial;
  A* result;
  A factor;
  bool accumulate;

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t /*row*/) const {
    const ScaledTotal self = *this;
    team.once([=] {
      A total = 0;
      for (std::int64_t p = 0; p < kRowPartials; ++p) total += self.partial[p];
      const A before = self.accumulate ? *self.result : A(0);
      *self.result = before + self.factor * total;
    });
  }
};

}  // namespace headroom::ops::HEADROOM_KERNELS
