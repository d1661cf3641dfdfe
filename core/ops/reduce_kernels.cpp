#include "core/describe/error.h"
#include "core/ops/kernels.h"
#include "core/ops/reduce.h"
#include "core/ops/reduce_rows.h"
#include "core/ops/strided_rows.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

/// dx (+)= dy / ties where x is the maximum y, 0 elsewhere; dx may be x.
template <class T, class A>
struct ShareMaximum {
  const T* x;
  const T* y;
  const T* dy;  ///< nullptr for 1
  const A* ties;
  T* dx;
  WalkTiles<1> tiles;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return tiles.row_elements(); }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const ShareMaximum self = *this;
    const std::int64_t place = tiles.place(row);
    const std::int64_t at = tiles.offset(0, row);
    const std::int64_t stride = tiles.walk.inner_stride(0);
    team.for_each(tiles.size(row), [=](std::int64_t i) {
      const std::int64_t k = at + i * stride;
      const bool wins = self.x[place + i] == self.y[k];
      const A upstream = self.dy == nullptr ? A(1) : static_cast<A>(self.dy[k]);
      const A share = wins ? upstream / self.ties[k] : A(0);
      T* slot = self.dx + place + i;
      *slot = static_cast<T>(self.accumulate ? static_cast<A>(*slot) + share : share);
    });
  }
};

template <class T>
void forward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Reduce& op = context.op<Reduce>();
  const auto dims = op.dims(context.input_type(0));
  const ReducePlan plan = plan_reduce({dims.data(), dims.size()});
  const std::int64_t count = plan.reduced.count();
  const T* x = context.read<T>(0);
  T* y = context.write<T>(0, context.write_type(0).shape.numel());
  auto& backend = runtime::backend(context);
  if (op.reduction() == Reduction::kMax) {
    if (context.accumulates(0)) {
      throw Error("[reduce] a maximum cannot be the loss of a step that accumulates micro batches");
    }
    reduce<MaxOf<A>>(backend, plan, x, static_cast<const T*>(nullptr), y, A(1), false);
    return;
  }
  const A scale =
      op.reduction() == Reduction::kMean ? static_cast<A>(1.0 / static_cast<double>(count)) : A(1);
  reduce<SumOf<A>>(backend, plan, x, static_cast<const T*>(nullptr), y, scale,
                   context.accumulates(0));
}

template <class T>
void backward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Reduce& op = context.op<Reduce>();
  const TensorType& type = context.input_type(0);
  const auto dims = op.dims(type);
  const ReducePlan plan = plan_reduce({dims.data(), dims.size()});
  const StridedWalk<1> walk = plan_expand({dims.data(), dims.size()});
  const std::int64_t count = plan.reduced.count();
  const bool accumulate = context.accumulates(0);
  const std::size_t upstream = context.output_gradient(0);
  const T* dy = context.has_read(upstream) ? context.read<T>(upstream) : nullptr;
  auto& backend = runtime::backend(context);
  if (op.reduction() != Reduction::kMax) {
    const A scale = op.reduction() == Reduction::kMean
                        ? static_cast<A>(1.0 / static_cast<double>(count))
                        : A(1);
    expand(backend, walk, dy, context.write<T>(0, type.shape.numel()), scale, accumulate);
    return;
  }
  const T* x = context.read<T>(0);
  const T* y = context.read<T>(context.saved_output(0));
  A* ties = context.workspace<A>(type.shape.numel() / count);
  reduce<CountEqual<A>>(backend, plan, x, y, ties, A(1), false);
  const WalkTiles<1> tiles{walk};
  backend.rows(ShareMaximum<T, A>{x, y, dy, ties, context.write<T>(0, type.shape.numel()), tiles,
                                  accumulate},
               tiles.rows());
}

void forward(KernelContext& context) {
  runtime::with_wide_type(context.input_type(0).dtype,
                          [&]<class T>() { forward_typed<T>(context); });
}

void backward(KernelContext& context) {
  runtime::with_wide_type(context.input_type(0).dtype,
                          [&]<class T>() { backward_typed<T>(context); });
}

}  // namespace

void register_reduce(runtime::KernelTable& table) {
  table.add(Reduce::kName, Pass::kForward, forward);
  table.add(Reduce::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
