#pragma once

#include "core/runtime/backend.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/storage.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace headroom::optim::HEADROOM_KERNELS {

namespace rows = runtime::rows;

/// Scales gradients down to a global norm of `max_norm`. The norm is read where the update runs, so
/// that a GPU need not wait for the host. Source: torch.nn.utils.clip_grad_norm_.
struct Clip {
  const float* squared_norm = nullptr;  ///< none: no clipping
  double max_norm = 0;

  /// A norm that is not a number makes the coefficient one too.
  template <class A>
  [[nodiscard]] HEADROOM_HD A coefficient() const {
    if (squared_norm == nullptr) return A(1);
    const A norm = rows::sqrt(static_cast<A>(*squared_norm));
    const A scale = static_cast<A>(max_norm) / (norm + A(1e-6));
    return scale > A(1) ? A(1) : scale;
  }
};

[[nodiscard]] inline Clip clip_of(const runtime::KernelContext& context) {
  const double max_norm = context.scalars().grad_clip_norm;
  if (max_norm <= 0) return {};
  return {.squared_norm = context.read<float>(1), .max_norm = max_norm};
}

/// One pass over a parameter: `element(gradient, parameter, states...)` for each of its elements,
/// the parameter and states as references.
template <class T, class Element, std::size_t kStates>
struct UpdateRows {
  using A = rows::Accumulate<T>;

  const T* gradient;
  T* parameter;
  T* states[kStates == 0 ? 1 : kStates];
  Element element;
  Clip clip;
  rows::FlatRows flat;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    run(team, row, std::make_index_sequence<kStates>());
  }

 private:
  struct Clipped {
    Element element;
    A scale;
    template <class... State>
    HEADROOM_HD void operator()(A g, A& p, State&... state) const {
      element(g * scale, p, state...);
    }
  };
  template <class Team, std::size_t... S>
  HEADROOM_HD void run(Team& team, std::int64_t row, std::index_sequence<S...>) const {
    const std::int64_t begin = flat.begin(row);
    team.apply(flat.size(row), Clipped{element, clip.template coefficient<A>()},
               rows::in(gradient + begin), rows::inout(parameter + begin),
               rows::inout(states[S] + begin)...);
  }
};

/// Updates the call's parameter and states in place.
template <class T, std::size_t kStates, class Element>
void update(runtime::KernelContext& context, const Element& element) {
  const std::int64_t count = context.write_type(0).shape.numel();
  const rows::FlatRows flat{count};
  UpdateRows<T, Element, kStates> program{.gradient = context.read<T>(0),
                                          .parameter = context.write<T>(0, count),
                                          .states = {},
                                          .element = element,
                                          .clip = clip_of(context),
                                          .flat = flat};
  if constexpr (kStates > 0) {
    for (std::size_t s = 0; s < kStates; ++s) program.states[s] = context.write<T>(1 + s, count);
  }
  runtime::backend(context).rows(program, flat.rows());
}

}  // namespace headroom::optim::HEADROOM_KERNELS
