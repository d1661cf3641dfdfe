#include "core/ops/activation.h"
#include "core/ops/kernels.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kInvSqrtTwoPi = 0.39894228040143267794;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
constexpr double kTanhCubic = 0.044715;

/// The functions and their derivatives. `saved` is what backward keeps: y for ReLU, x otherwise.
struct Relu {
  template <class A>
  static HEADROOM_HD A value(A x) {
    return x > 0 ? x : A(0);
  }
  template <class A>
  static HEADROOM_HD A slope(A saved) {
    return saved > 0 ? A(1) : A(0);
  }
};

struct Gelu {
  template <class A>
  static HEADROOM_HD A value(A x) {
    return A(0.5) * x * (1 + rows::erf(x * A(kSqrtHalf)));
  }
  template <class A>
  static HEADROOM_HD A slope(A x) {
    const A cdf = A(0.5) * (1 + rows::erf(x * A(kSqrtHalf)));
    return cdf + x * A(kInvSqrtTwoPi) * rows::exp(A(-0.5) * x * x);
  }
};

struct GeluTanh {
  template <class A>
  static HEADROOM_HD A value(A x) {
    const A inner = A(kSqrtTwoOverPi) * (x + A(kTanhCubic) * x * x * x);
    return A(0.5) * x * (1 + rows::tanh(inner));
  }
  template <class A>
  static HEADROOM_HD A slope(A x) {
    const A square = x * x;
    const A t = rows::tanh(A(kSqrtTwoOverPi) * x * (1 + A(kTanhCubic) * square));
    const A inner_slope = A(kSqrtTwoOverPi) * (1 + 3 * A(kTanhCubic) * square);
    return A(0.5) * (1 + t) + A(0.5) * x * (1 - t * t) * inner_slope;
  }
};

struct Silu {
  template <class A>
  static HEADROOM_HD A value(A x) {
    return x * rows::sigmoid(x);
  }
  template <class A>
  static HEADROOM_HD A slope(A x) {
    const A s = rows::sigmoid(x);
    return s * (1 + x * (1 - s));
  }
};

template <class F, class T>
struct ActivationForward {
  const T* x;
  T* y;
  rows::FlatRows flat;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = rows::Accumulate<T>;
    const std::int64_t begin = flat.begin(row);
    team.map(
        flat.size(row), y + begin, [](A v) { return F::template value<A>(v); }, x + begin);
  }
};

template <class F, class T>
struct ActivationBackward {
  const T* saved;
  const T* dy;
  T* dx;
  rows::FlatRows flat;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = rows::Accumulate<T>;
    const std::int64_t begin = flat.begin(row);
    const std::int64_t n = flat.size(row);
    if (accumulate) {
      team.apply(
          n, [](A& g, A v, A d) { g += d * F::template slope<A>(v); }, rows::inout(dx + begin),
          saved + begin, dy + begin);
    } else {
      team.map(
          n, dx + begin, [](A v, A d) { return d * F::template slope<A>(v); }, saved + begin,
          dy + begin);
    }
  }
};

template <class F, class T>
void run(KernelContext& context) {
  const std::int64_t count = context.input_type(0).shape.numel();
  const rows::FlatRows flat{count};
  auto& backend = runtime::backend(context);
  if (context.pass() == Pass::kForward) {
    const T* x = context.read<T>(0);
    backend.rows(ActivationForward<F, T>{x, context.write<T>(0, count), flat}, flat.rows());
    return;
  }
  const bool keeps_output = context.op<Activation>().kind() == ActivationKind::kRelu;
  const T* saved = context.read<T>(keeps_output ? context.saved_output(0) : 0);
  const T* dy = context.read<T>(context.output_gradient(0));
  backend.rows(
      ActivationBackward<F, T>{saved, dy, context.write<T>(0, count), flat, context.accumulates(0)},
      flat.rows());
}

template <class F>
void run_kind(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype, [&]<class T>() { run<F, T>(context); });
}

void run_activation(KernelContext& context) {
  switch (context.op<Activation>().kind()) {
    case ActivationKind::kRelu:
      return run_kind<Relu>(context);
    case ActivationKind::kGelu:
      return run_kind<Gelu>(context);
    case ActivationKind::kGeluTanh:
      return run_kind<GeluTanh>(context);
    case ActivationKind::kSilu:
      return run_kind<Silu>(context);
  }
}

}  // namespace

void register_activation(runtime::KernelTable& table) {
  table.add(Activation::kName, Pass::kForward, run_activation);
  table.add(Activation::kName, Pass::kBackward, run_activation);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
