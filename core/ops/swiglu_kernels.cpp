#include "core/ops/kernels.h"
#include "core/ops/swiglu.h"
#include "core/ops/write_or_add.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

template <class T>
struct SwiGluForward {
  const T* gate;
  const T* up;
  T* y;
  rows::FlatRows flat;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = rows::Accumulate<T>;
    const std::int64_t begin = flat.begin(row);
    team.map(
        flat.size(row), y + begin, [](A g, A u) { return g * rows::sigmoid(g) * u; },
        rows::in(gate + begin), rows::in(up + begin));
  }
};

template <class T>
struct SwiGluBackward {
  using A = rows::Accumulate<T>;
  const T* gate;
  const T* up;
  const T* dy;
  T* dgate;  ///< or nullptr
  T* dup;    ///< or nullptr
  rows::FlatRows flat;
  bool add_gate, add_up;

  [[nodiscard]] std::int64_t row_elements() const { return 2 * rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = flat.begin(row);
    const std::int64_t n = flat.size(row);
    const auto g = rows::in(gate + begin);
    const auto u = rows::in(up + begin);
    const auto d = rows::in(dy + begin);
    if (dgate != nullptr && dup != nullptr) {
      T* const a = dgate + begin;
      T* const b = dup + begin;
      if (add_gate && add_up) {
        both(team, n, rows::inout(a), rows::inout(b), g, u, d);
      } else if (add_gate) {
        both(team, n, rows::inout(a), rows::out(b), g, u, d);
      } else if (add_up) {
        both(team, n, rows::out(a), rows::inout(b), g, u, d);
      } else {
        both(team, n, rows::out(a), rows::out(b), g, u, d);
      }
    } else if (dgate != nullptr) {
      write_or_add(
          team, n, dgate + begin, add_gate, [](A v, A w, A s) { return gate_slope(v, w, s); }, g, u,
          d);
    } else {
      write_or_add(
          team, n, dup + begin, add_up, [](A v, A s) { return s * v * rows::sigmoid(v); }, g, d);
    }
  }

 private:
  static HEADROOM_HD A gate_slope(A g, A u, A d) {
    const A s = rows::sigmoid(g);
    return d * u * s * (1 + g * (1 - s));
  }
  /// In one loop, since a gradient may lie over an operand of the other. What is only written
  /// starts as 0.
  template <class Team, class DGate, class DUp, class... X>
  static HEADROOM_HD void both(Team& team, std::int64_t n, DGate dgate, DUp dup, X... x) {
    team.apply(
        n,
        [](A& gate_total, A& up_total, A g, A u, A d) {
          const A s = rows::sigmoid(g);
          gate_total += d * u * s * (1 + g * (1 - s));
          up_total += d * g * s;
        },
        dgate, dup, x...);
  }
};

template <class T>
void forward_typed(KernelContext& context) {
  const std::int64_t count = context.input_type(0).shape.numel();
  const rows::FlatRows flat{count};
  runtime::backend(context).rows(
      SwiGluForward<T>{context.read<T>(SwiGlu::kGate), context.read<T>(SwiGlu::kUp),
                       context.write<T>(0, count), flat},
      flat.rows());
}

template <class T>
void backward_typed(KernelContext& context) {
  const std::int64_t count = context.input_type(0).shape.numel();
  const rows::FlatRows flat{count};
  const auto target = [&](std::size_t i) {
    return context.has_write(i) ? context.write<T>(i, count) : nullptr;
  };
  runtime::backend(context).rows(
      SwiGluBackward<T>{.gate = context.read<T>(SwiGlu::kGate),
                        .up = context.read<T>(SwiGlu::kUp),
                        .dy = context.read<T>(context.output_gradient(0)),
                        .dgate = target(SwiGlu::kGate),
                        .dup = target(SwiGlu::kUp),
                        .flat = flat,
                        .add_gate = context.accumulates(SwiGlu::kGate),
                        .add_up = context.accumulates(SwiGlu::kUp)},
      flat.rows());
}

void forward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { forward_typed<T>(context); });
}

void backward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { backward_typed<T>(context); });
}

}  // namespace

void register_swiglu(runtime::KernelTable& table) {
  table.add(SwiGlu::kName, Pass::kForward, forward);
  table.add(SwiGlu::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
