#include "core/ops/head_cross_entropy.h"
#include "core/ops/kernels.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/storage.h"

#include <algorithm>
#include <cstddef>

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

/// factor = scale / number of rows with a target; 0 where there is none. One row.
template <class A>
struct LossFactor {
  const std::int32_t* target;
  const float* valid;  ///< that number, or nullptr to count
  A* factor;
  A scale;
  std::int64_t row_count;
  std::int32_t ignored;

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t /*row*/) const {
    const LossFactor self = *this;
    const A counted =
        valid != nullptr ? static_cast<A>(*valid) : team.sum_index(row_count, [=](std::int64_t i) {
          return self.target[i] == self.ignored ? A(0) : A(1);
        });
    team.once([=] { *self.factor = counted > A(0) ? self.scale / counted : A(0); });
  }
};

/// A row's loss and, where wanted, its logits' gradient factor * (softmax(logits) -
/// onehot(target)), which may take their place.
template <class T, class A>
struct LossRows {
  A* logits;
  T* gradients;  ///< or nullptr
  const std::int32_t* target;
  const A* factor;
  A loss_scale;  ///< of gradients alone
  A* losses;
  std::int64_t stride, vocabulary, classes;
  std::int32_t ignored;

  [[nodiscard]] std::int64_t row_elements() const { return 3 * classes; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    A* z = logits + row * stride;
    T* dz = gradients == nullptr ? nullptr : gradients + row * stride;
    A* loss = losses + row;
    const std::int32_t wanted = target[row];
    const auto clear = [](A& v) { v = 0; };
    if (wanted == ignored) {
      if (dz != nullptr) team.apply(vocabulary, clear, rows::out(dz));
      team.once([=] { *loss = 0; });
      return;
    }
    // A class that does not exist must neither read elsewhere nor go unnoticed.
    const bool exists = wanted >= 0 && wanted < classes;
    const A at_target = exists ? z[wanted] : static_cast<A>(__builtin_nanf(""));
    const A largest = team.max(
        classes, [](A v) { return v; }, rows::in(z));
    const auto power = [=](A v) { return rows::exp(v - largest); };
    if (dz == nullptr) {
      const A sum = team.sum(classes, power, rows::in(z));
      team.once([=] { *loss = rows::log(sum) + (largest - at_target); });
      return;
    }
    const A sum = team.map_sum(classes, z, power, rows::in(z));
    const A f = *factor * loss_scale;
    const A k = f / sum;
    team.map(
        classes, dz, [=](A v) { return k * v; }, rows::in(z));
    team.apply(vocabulary - classes, clear, rows::out(dz + classes));
    team.once([=] {
      *loss = rows::log(sum) + (largest - at_target);
      if (exists) dz[wanted] = rows::store_as<T>(k * power(at_target) - f);
    });
  }
};

/// result (+)= factor * sum of all rows' losses. One row.
template <class A>
struct TotalLoss {
  const A* losses;
  const A* factor;
  A* result;
  std::int64_t row_count;
  bool accumulate;

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t /*row*/) const {
    const TotalLoss self = *this;
    const A total = team.sum_index(row_count, [=](std::int64_t i) { return self.losses[i]; });
    team.once([=] {
      const A before = self.accumulate ? *self.result : A(0);
      *self.result = before + *self.factor * total;
    });
  }
};

/// Where the gradients go; nullptr where one is not wanted.
template <class T>
struct Gradients {
  T* hidden = nullptr;
  rows::Accumulate<T>* weight = nullptr;
  bool add_hidden = false, add_weight = false;
};

template <class T>
Gradients<T> gradients(const KernelContext& context, const HeadCrossEntropy::Size& s) {
  Gradients<T> result;
  if (context.pass() != Pass::kForwardBackward) return result;
  const std::size_t hidden = context.input_gradient(HeadCrossEntropy::kHidden);
  const std::size_t weight = context.input_gradient(HeadCrossEntropy::kWeight);
  if (context.has_write(hidden)) {
    result.hidden = context.write<T>(hidden, s.rows * s.width);
    result.add_hidden = context.accumulates(hidden);
  }
  if (context.has_write(weight)) {
    result.weight = context.write<rows::Accumulate<T>>(weight, s.vocabulary * s.width);
    result.add_weight = context.accumulates(weight);
  }
  return result;
}

/// The gradients' two products for the rows from `begin` on. The weight's comes first: the
/// gradient of hidden may take the place of hidden.
template <class T>
void multiply_gradients(runtime::Backend& backend,
                        const HeadCrossEntropy::Size& s,
                        const Gradients<T>& gradient,
                        const T* hidden,
                        const T* weight,
                        const T* logit_gradients,
                        std::int64_t begin,
                        std::int64_t count) {
  if (gradient.weight != nullptr) {
    backend.matmul({.dtype = dtype_of<T>,
                    .c_dtype = dtype_of<rows::Accumulate<T>>,
                    .m = s.vocabulary,
                    .n = s.width,
                    .k = count,
                    .transpose_a = true,
                    .a = logit_gradients,
                    .b = hidden + begin * s.width,
                    .c = gradient.weight,
                    .lda = s.stride,
                    .ldb = s.width,
                    .ldc = s.width,
                    .accumulate = gradient.add_weight || begin > 0});
  }
  if (gradient.hidden != nullptr) {
    backend.matmul({.dtype = dtype_of<T>,
                    .m = count,
                    .n = s.width,
                    .k = s.vocabulary,
                    .a = logit_gradients,
                    .b = weight,
                    .c = gradient.hidden + begin * s.width,
                    .lda = s.stride,
                    .ldb = s.width,
                    .ldc = s.width,
                    .accumulate = gradient.add_hidden});
  }
}

/// The parts of the workspace.
template <class T>
struct Scratch {
  using A = rows::Accumulate<T>;
  A* logits;
  T* gradients;  ///< of the logits, or nullptr
  A* losses;
  A* factor;
};

template <class T>
Scratch<T> scratch(const KernelContext& context, const HeadCrossEntropy::Size& s) {
  using A = rows::Accumulate<T>;
  const HeadCrossEntropy::Layout layout = HeadCrossEntropy::layout(s, dtype_of<T>);
  auto* base = context.workspace<std::byte>(layout.total.value());
  const bool wanted = context.pass() == Pass::kForwardBackward;
  return {.logits = reinterpret_cast<A*>(base),
          .gradients = wanted ? reinterpret_cast<T*>(base + layout.gradients) : nullptr,
          .losses = reinterpret_cast<A*>(base + layout.losses),
          .factor = reinterpret_cast<A*>(base + layout.factor)};
}

template <class T>
void run_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  using Head = HeadCrossEntropy;
  const Head& op = context.op<Head>();
  const Head::Options& options = op.options();
  const Head::Size s =
      op.size(context.input_type(Head::kHidden), context.input_type(Head::kWeight));
  const T* hidden = context.read<T>(Head::kHidden);
  const T* weight = context.read<T>(Head::kWeight);
  const auto* target = context.read<std::int32_t>(Head::kTarget);
  const float* valid = options.valid_given ? context.read<float>(Head::kValid) : nullptr;
  A* loss = context.write<A>(0, 1);
  const Gradients<T> gradient = gradients<T>(context, s);
  const Scratch<T> work = scratch<T>(context, s);
  auto& backend = runtime::backend(context);
  backend.rows(LossFactor<A>{target, valid, work.factor, static_cast<A>(options.scale), s.rows,
                             options.ignored},
               1);
  for (std::int64_t begin = 0; begin < s.rows; begin += s.chunk) {
    const std::int64_t count = std::min(s.chunk, s.rows - begin);
    backend.matmul({.dtype = dtype_of<T>,
                    .c_dtype = dtype_of<A>,
                    .m = count,
                    .n = s.vocabulary,
                    .k = s.width,
                    .transpose_b = true,
                    .a = hidden + begin * s.width,
                    .b = weight,
                    .c = work.logits,
                    .lda = s.width,
                    .ldb = s.width,
                    .ldc = s.stride});
    backend.rows(LossRows<T, A>{.logits = work.logits,
                                .gradients = work.gradients,
                                .target = target + begin,
                                .factor = work.factor,
                                .loss_scale = static_cast<A>(context.scalars().loss_scale),
                                .losses = work.losses + begin,
                                .stride = s.stride,
                                .vocabulary = s.vocabulary,
                                .classes = s.classes,
                                .ignored = options.ignored},
                 count);
    multiply_gradients(backend, s, gradient, hidden, weight, work.gradients, begin, count);
  }
  backend.rows(TotalLoss<A>{work.losses, work.factor, loss, s.rows, context.accumulates(0)}, 1);
}

void run_head(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype, [&]<class T>() { run_typed<T>(context); });
}

}  // namespace

void register_head_cross_entropy(runtime::KernelTable& table) {
  table.add(HeadCrossEntropy::kName, Pass::kForward, run_head);
  table.add(HeadCrossEntropy::kName, Pass::kForwardBackward, run_head);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
