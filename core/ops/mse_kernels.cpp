#include "core/ops/kernels.h"
#include "core/ops/mse.h"
#include "core/ops/partials.h"
#include "core/ops/total.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

/// Partial p: squared differences of its share of the elements.
template <class T, class A>
struct SquaredDifferences {
  const T* prediction;
  const T* target;
  A* partial;
  std::int64_t count;

  [[nodiscard]] std::int64_t row_elements() const { return count / kRowPartials; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t p) const {
    const std::int64_t begin = count * p / kRowPartials;
    const std::int64_t end = count * (p + 1) / kRowPartials;
    const A sum = team.sum(
        end - begin, [](A a, A b) { return (a - b) * (a - b); }, rows::in(prediction + begin),
        rows::in(target + begin));
    A* slot = partial + p;
    team.once([=] { *slot = sum; });
  }
};

template <class T, class A>
struct Difference {
  const T* prediction;
  const T* target;
  T* gradient;
  rows::FlatRows flat;
  A factor;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = flat.begin(row);
    const std::int64_t n = flat.size(row);
    const A k = factor;
    T* y = gradient + begin;
    if (accumulate) {
      team.apply(
          n, [k](A& g, A a, A b) { g += k * (a - b); }, rows::inout(y),
          rows::in(prediction + begin), rows::in(target + begin));
    } else {
      team.apply(
          n, [k](A& g, A a, A b) { g = k * (a - b); }, rows::out(y), rows::in(prediction + begin),
          rows::in(target + begin));
    }
  }
};

template <class T>
void forward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const std::int64_t count = context.input_type(0).shape.numel();
  const double factor = context.op<MeanSquaredError>().scale() / static_cast<double>(count);
  A* partial = context.workspace<A>(kRowPartials);
  auto& backend = runtime::backend(context);
  backend.rows(SquaredDifferences<T, A>{context.read<T>(MeanSquaredError::kPrediction),
                                        context.read<T>(MeanSquaredError::kTarget), partial, count},
               kRowPartials);
  backend.rows(ScaledTotal<A>{partial, context.write<A>(0, 1), static_cast<A>(factor),
                              context.accumulates(0)},
               1);
}

template <class T>
void backward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const std::int64_t count = context.input_type(0).shape.numel();
  const double factor = 2 * context.op<MeanSquaredError>().scale() * context.scalars().loss_scale /
                        static_cast<double>(count);
  const T* prediction = context.read<T>(MeanSquaredError::kPrediction);
  const T* target = context.read<T>(MeanSquaredError::kTarget);
  const rows::FlatRows flat{count};
  runtime::backend(context).rows(
      Difference<T, A>{prediction, target, context.write<T>(0, count), flat, static_cast<A>(factor),
                       context.accumulates(0)},
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

void register_mse(runtime::KernelTable& table) {
  table.add(MeanSquaredError::kName, Pass::kForward, forward);
  table.add(MeanSquaredError::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
