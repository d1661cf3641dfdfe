#pragma once

#include "core/optim/rounding.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/storage.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace headroom::optim::HEADROOM_KERNELS {

namespace rows = runtime::rows;

/// What a gradient is multiplied with before it is used: 1 / the loss scale, and less where the
/// global norm is above `max_norm`. The norm is read where the update runs, so that a GPU need not
/// wait for the host. Source: torch.nn.utils.clip_grad_norm_, torch.amp.GradScaler.
struct GradientScale {
  const float* squared_norm = nullptr;  ///< of the gradients as they are, loss scale included
  double max_norm = 0;                  ///< 0: no clipping
  double inverse_loss_scale = 1;
  bool skip_overflow = false;  ///< leave everything as it is where a gradient is not finite

  /// A norm that is not a number makes the coefficient one too.
  template <class A>
  [[nodiscard]] HEADROOM_HD A coefficient() const {
    const A unscale = static_cast<A>(inverse_loss_scale);
    if (squared_norm == nullptr || max_norm <= 0) return unscale;
    const A norm = rows::sqrt(static_cast<A>(*squared_norm)) * unscale;
    const A clip = static_cast<A>(max_norm) / (norm + A(1e-6));
    return (clip > A(1) ? A(1) : clip) * unscale;
  }
  [[nodiscard]] HEADROOM_HD bool skips() const {
    return skip_overflow && !(*squared_norm < __builtin_huge_valf());
  }
};

[[nodiscard]] inline GradientScale gradient_scale(const runtime::KernelContext& context) {
  const runtime::Scalars& scalars = context.scalars();
  const bool scaled = scalars.loss_scale != 1;
  if (scalars.grad_clip_norm <= 0 && !scaled) return {};
  return {.squared_norm = context.read<float>(1),
          .max_norm = scalars.grad_clip_norm,
          .inverse_loss_scale = 1 / scalars.loss_scale,
          .skip_overflow = scaled};
}

/// One pass over a parameter: `element(gradient, parameter, states...)` for each of its elements,
/// the parameter and states as references. P and S are what the parameter and the states are stored
/// in. With a master copy the element works on that, and the parameter becomes its rounded value.
template <class P, class S, class Element, std::size_t kStates, class Rounding>
struct UpdateRows {
  using A = rows::Accumulate<S>;

  const A* gradient;
  P* parameter;
  A* master;  ///< nullptr: none
  S* states[kStates == 0 ? 1 : kStates];
  Element element;
  GradientScale scale;
  Rounding rounding;
  rows::FlatRows flat;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    if (scale.skips()) return;
    run(team, row, std::make_index_sequence<kStates>());
  }

 private:
  struct Plain {
    Element element;
    A scale;
    template <class... State>
    HEADROOM_HD void operator()(A g, A& p, State&... state) const {
      element(g * scale, p, state...);
    }
  };
  struct WithMaster {
    Element element;
    A scale;
    template <class... State>
    HEADROOM_HD void operator()(A g, A& p, A& master, State&... state) const {
      element(g * scale, master, state...);
      p = master;
    }
  };
  struct Rounded {
    Element element;
    A scale;
    typename Rounding::Row rounding;
    template <class... State>
    HEADROOM_HD void operator()(A g, std::int32_t i, A& p, State&... state) const {
      element(g * scale, p, state...);
      rounding(i, p, state...);
    }
  };
  template <class Team, std::size_t... S_>
  HEADROOM_HD void run(Team& team, std::int64_t row, std::index_sequence<S_...>) const {
    const std::int64_t begin = flat.begin(row);
    const std::int64_t n = flat.size(row);
    const A factor = scale.template coefficient<A>();
    if constexpr (Rounding::kStochastic) {
      team.apply(n, Rounded{element, factor, rounding.row(begin)}, rows::in(gradient + begin),
                 rows::position(), rows::inout(parameter + begin),
                 rows::inout(states[S_] + begin)...);
    } else if constexpr (sizeof(P) < sizeof(S)) {
      team.apply(n, WithMaster{element, factor}, rows::in(gradient + begin),
                 rows::out(parameter + begin), rows::inout(master + begin),
                 rows::inout(states[S_] + begin)...);
    } else {
      team.apply(n, Plain{element, factor}, rows::in(gradient + begin),
                 rows::inout(parameter + begin), rows::inout(states[S_] + begin)...);
    }
  }
};

namespace update_detail {

template <class P, class S, std::size_t kStates, class Rounding, class Element>
void run(runtime::KernelContext& context, const Element& element, const Rounding& rounding) {
  using A = rows::Accumulate<S>;
  const std::int64_t count = context.write_type(0).shape.numel();
  const rows::FlatRows flat{count};
  UpdateRows<P, S, Element, kStates, Rounding> program{.gradient = context.read<A>(0),
                                                       .parameter = context.write<P>(0, count),
                                                       .master = nullptr,
                                                       .states = {},
                                                       .element = element,
                                                       .scale = gradient_scale(context),
                                                       .rounding = rounding,
                                                       .flat = flat};
  if constexpr (kStates > 0) {
    for (std::size_t s = 0; s < kStates; ++s) program.states[s] = context.write<S>(1 + s, count);
  }
  if constexpr (sizeof(P) < sizeof(S)) program.master = context.write<A>(1 + kStates, count);
  runtime::backend(context).rows(program, flat.rows());
}

}  // namespace update_detail

/// Updates the call's parameter, states and master copy in place. `make.operator()<A>()` gives the
/// element that computes in A. A 16-bit parameter with a master copy has f32 states; one without is
/// rounded stochastically, as are its states.
template <std::size_t kStates, class Make>
void update(runtime::KernelContext& context, const Make& make) {
  const DType dtype = context.write_type(0).dtype;
  const bool master = context.has_write(1 + kStates);
  runtime::with_float_type(dtype, [&]<class P>() {
    if constexpr (sizeof(P) >= sizeof(float)) {
      update_detail::run<P, P, kStates>(context, make.template operator()<P>(), Nearest{});
    } else if (master) {
      update_detail::run<P, float, kStates>(context, make.template operator()<float>(), Nearest{});
    } else if constexpr (std::is_same_v<P, bf16>) {
      update_detail::run<P, P, kStates>(context, make.template operator()<float>(),
                                        Stochastic(context));
    } else {
      throw Error("f16 parameters need an f32 master copy");
    }
  });
}

}  // namespace headroom::optim::HEADROOM_KERNELS
