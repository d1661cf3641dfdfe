#include "core/ops/cross_entropy.h"
#include "core/ops/kernels.h"
#include "core/ops/partials.h"
#include "core/ops/total.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

template <class T, class A>
struct LogSumExp {
  const T* logits;
  A* lse;
  std::int64_t classes;

  [[nodiscard]] std::int64_t row_elements() const { return 2 * classes; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const T* z = logits + row * classes;
    const A largest = team.max(
        classes, [](A v) { return v; }, rows::in(z));
    const A sum = team.sum(
        classes, [=](A v) { return rows::exp(v - largest); }, rows::in(z));
    const A result = largest + rows::log(sum);
    A* slot = lse + row;
    team.once([=] { *slot = result; });
  }
};

/// Partial p: the losses of its share of the rows.
template <class T, class A>
struct RowLosses {
  const T* logits;
  const std::int32_t* target;
  const A* lse;
  A* partial;
  std::int64_t row_count, classes;

  [[nodiscard]] std::int64_t row_elements() const { return row_count / kRowPartials; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t p) const {
    const RowLosses self = *this;
    const std::int64_t begin = row_count * p / kRowPartials;
    const std::int64_t end = row_count * (p + 1) / kRowPartials;
    const A sum = team.sum_index(end - begin, [=](std::int64_t i) {
      const std::int64_t row = begin + i;
      const std::int64_t wanted = self.target[row];
      // A class that does not exist must neither read elsewhere nor go unnoticed.
      const bool exists = wanted >= 0 && wanted < self.classes;
      const A z = static_cast<A>(self.logits[row * self.classes + (exists ? wanted : 0)]);
      return exists ? self.lse[row] - z : static_cast<A>(__builtin_nanf(""));
    });
    A* slot = partial + p;
    team.once([=] { *slot = sum; });
  }
};

/// dz (+)= factor * upstream * (softmax(z) - onehot(target)); dz may be z.
template <class T, class A>
struct SoftmaxMinusTarget {
  const T* logits;
  const std::int32_t* target;
  const A* lse;
  const A* upstream;  ///< gradient of the loss, or nullptr for 1
  T* gradient;
  std::int64_t classes;
  A factor;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return classes; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const A k = upstream == nullptr ? factor : factor * *upstream;
    const A l = lse[row];
    const std::int32_t wanted = target[row];
    const T* z = logits + row * classes;
    T* dz = gradient + row * classes;
    const auto slope = [=](A v, std::int32_t j) {
      return k * (rows::exp(v - l) - (j == wanted ? A(1) : A(0)));
    };
    if (accumulate) {
      team.apply(
          classes, [=](A& d, A v, std::int32_t j) { d += slope(v, j); }, rows::inout(dz),
          rows::in(z), rows::position());
    } else {
      team.map(classes, dz, slope, rows::in(z), rows::position());
    }
  }
};

template <class T>
void forward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Shape& shape = context.input_type(CrossEntropy::kLogits).shape;
  const std::int64_t row_count = shape.rows();
  const std::int64_t classes = shape.columns();
  const T* logits = context.read<T>(CrossEntropy::kLogits);
  const auto* target = context.read<std::int32_t>(CrossEntropy::kTarget);
  A* lse = context.write<A>(CrossEntropy::kLogSumExp, row_count);
  A* partial = context.workspace<A>(kRowPartials);
  const double factor = context.op<CrossEntropy>().scale() / static_cast<double>(row_count);
  auto& backend = runtime::backend(context);
  backend.rows(LogSumExp<T, A>{logits, lse, classes}, row_count);
  backend.rows(RowLosses<T, A>{logits, target, lse, partial, row_count, classes}, kRowPartials);
  backend.rows(ScaledTotal<A>{partial, context.write<A>(CrossEntropy::kLoss, 1),
                              static_cast<A>(factor), context.accumulates(CrossEntropy::kLoss)},
               1);
}

template <class T>
void backward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Shape& shape = context.input_type(CrossEntropy::kLogits).shape;
  const std::int64_t row_count = shape.rows();
  const double factor = context.op<CrossEntropy>().scale() * context.scalars().loss_scale /
                        static_cast<double>(row_count);
  const std::size_t upstream = context.output_gradient(CrossEntropy::kLoss);
  runtime::backend(context).rows(
      SoftmaxMinusTarget<T, A>{
          .logits = context.read<T>(CrossEntropy::kLogits),
          .target = context.read<std::int32_t>(CrossEntropy::kTarget),
          .lse = context.read<A>(context.saved_output(CrossEntropy::kLogSumExp)),
          .upstream = context.has_read(upstream) ? context.read<A>(upstream) : nullptr,
          .gradient = context.write<T>(CrossEntropy::kLogits, shape.numel()),
          .classes = shape.columns(),
          .factor = static_cast<A>(factor),
          .accumulate = context.accumulates(CrossEntropy::kLogits)},
      row_count);
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

void register_cross_entropy(runtime::KernelTable& table) {
  table.add(CrossEntropy::kName, Pass::kForward, forward);
  table.add(CrossEntropy::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
