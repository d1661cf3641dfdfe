#pragma once

#include "core/optim/update_rows.h"

#include <cmath>
#include <cstdint>

namespace headroom::optim::HEADROOM_KERNELS {

/// Adam and AdamW, which differ only in where weight decay goes.
template <class A>
struct AdamElement {
  A shrink;  ///< what the parameter is multiplied with first (decoupled decay), or 1
  A l2;      ///< added to the gradient times the parameter, or 0
  A beta1, fresh1, beta2, fresh2;
  A step_size;   ///< learning rate over the bias of the first moment
  A root_scale;  ///< 1 over the root of the bias of the second moment
  A eps;

  HEADROOM_HD void operator()(A g, A& p, A& m, A& v) const {
    const A decayed = p * shrink;
    const A d = g + l2 * p;
    m = beta1 * m + fresh1 * d;
    v = beta2 * v + fresh2 * d * d;
    p = decayed - step_size * (m / (rows::sqrt(v) * root_scale + eps));
  }
};

/// The numbers that both rules share; `step` counts from 1.
template <class A, class Options>
[[nodiscard]] AdamElement<A> adam_element(const Options& options, const runtime::Scalars& scalars) {
  const double t = static_cast<double>(scalars.step);
  const double bias1 = 1 - std::pow(options.beta1, t);
  const double bias2 = 1 - std::pow(options.beta2, t);
  return {.shrink = A(1),
          .l2 = A(0),
          .beta1 = static_cast<A>(options.beta1),
          .fresh1 = static_cast<A>(1 - options.beta1),
          .beta2 = static_cast<A>(options.beta2),
          .fresh2 = static_cast<A>(1 - options.beta2),
          .step_size = static_cast<A>(scalars.learning_rate / bias1),
          .root_scale = static_cast<A>(1 / std::sqrt(bias2)),
          .eps = static_cast<A>(options.eps)};
}

}  // namespace headroom::optim::HEADROOM_KERNELS
