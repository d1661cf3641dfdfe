#include "core/ops/kernels.h"
#include "core/ops/linear.h"
#include "core/ops/row_sums.h"
#include "core/runtime/backend.h"

#include <algorithm>

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;
using runtime::Matmul;

/// y[row] = x[row] . w + bias: one output feature.
template <class T, class A>
struct RowDot {
  const T* x;
  const T* w;
  const T* bias;
  T* y;
  std::int64_t columns;

  [[nodiscard]] std::int64_t row_elements() const { return columns; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const A dot = team.sum(
        columns, [](A a, A b) { return a * b; }, rows::in(x + row * columns), rows::in(w));
    const A offset = bias == nullptr ? A(0) : static_cast<A>(*bias);
    T* target = y + row;
    team.once([=] { *target = static_cast<T>(dot + offset); });
  }
};

/// dx[row] (+)= dy[row] * w: its gradient.
template <class T, class A>
struct RowScale {
  const T* dy;
  const T* w;
  T* dx;
  std::int64_t columns;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return columns; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const A k = static_cast<A>(dy[row]);
    T* target = dx + row * columns;
    if (accumulate) {
      team.apply(
          columns, [k](A& v, A e) { v += k * e; }, rows::inout(target), rows::in(w));
    } else {
      team.apply(
          columns, [k](A& v, A e) { v = k * e; }, rows::out(target), rows::in(w));
    }
  }
};

Linear::Size size(const KernelContext& context) {
  return context.op<Linear>().size(context.input_type(Linear::kX),
                                   context.input_type(Linear::kWeight));
}

template <class T>
void forward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Linear::Options& options = context.op<Linear>().options();
  const Linear::Size s = size(context);
  const T* x = context.read<T>(Linear::kX);
  const T* w = context.read<T>(Linear::kWeight);
  const T* bias = options.bias ? context.read<T>(Linear::kBias) : nullptr;
  T* y = context.write<T>(0, s.rows * s.out);
  if (s.out == 1) {
    runtime::backend(context).rows(RowDot<T, A>{x, w, bias, y, s.in}, s.rows);
    return;
  }
  const bool out_in = options.layout == WeightLayout::kOutIn;
  runtime::backend(context).matmul({.dtype = dtype_of<T>,
                                    .m = s.rows,
                                    .n = s.out,
                                    .k = s.in,
                                    .transpose_b = out_in,
                                    .a = x,
                                    .b = w,
                                    .c = y,
                                    .lda = s.in,
                                    .ldb = out_in ? s.in : s.out,
                                    .ldc = s.out,
                                    .bias = bias});
}

template <class T>
void weight_gradient(KernelContext& context,
                     const Linear::Size& s,
                     const T* dy,
                     rows::Accumulate<T>* partial) {
  using A = rows::Accumulate<T>;
  const T* x = context.read<T>(Linear::kX);
  A* dw = context.write<A>(Linear::kWeight, s.in * s.out);
  const bool accumulate = context.accumulates(Linear::kWeight);
  if (s.out == 1) {
    sum_rows(runtime::backend(context), x, dy, s.rows, s.in, partial, dw, accumulate);
    return;
  }
  // dW (in, out) = x^T dy, or (out, in) = dy^T x.
  const bool out_in = context.op<Linear>().options().layout == WeightLayout::kOutIn;
  runtime::backend(context).matmul({.dtype = dtype_of<T>,
                                    .c_dtype = dtype_of<A>,
                                    .m = out_in ? s.out : s.in,
                                    .n = out_in ? s.in : s.out,
                                    .k = s.rows,
                                    .transpose_a = true,
                                    .a = out_in ? dy : x,
                                    .b = out_in ? x : dy,
                                    .c = dw,
                                    .lda = out_in ? s.out : s.in,
                                    .ldb = out_in ? s.in : s.out,
                                    .ldc = out_in ? s.in : s.out,
                                    .accumulate = accumulate});
}

template <class T>
void input_gradient(KernelContext& context, const Linear::Size& s, const T* dy) {
  using A = rows::Accumulate<T>;
  const T* w = context.read<T>(Linear::kWeight);
  T* dx = context.write<T>(Linear::kX, s.rows * s.in);
  const bool accumulate = context.accumulates(Linear::kX);
  if (s.out == 1) {
    runtime::backend(context).rows(RowScale<T, A>{dy, w, dx, s.in, accumulate}, s.rows);
    return;
  }
  const bool out_in = context.op<Linear>().options().layout == WeightLayout::kOutIn;
  runtime::backend(context).matmul({.dtype = dtype_of<T>,
                                    .m = s.rows,
                                    .n = s.in,
                                    .k = s.out,
                                    .transpose_b = !out_in,
                                    .a = dy,
                                    .b = w,
                                    .c = dx,
                                    .lda = s.out,
                                    .ldb = out_in ? s.in : s.out,
                                    .ldc = s.in,
                                    .accumulate = accumulate});
}

template <class T>
void backward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Linear::Size s = size(context);
  const T* dy = context.read<T>(context.output_gradient(0));
  // The sums of db and those of dW for a single output feature take turns in one scratch buffer.
  const bool sums_weight = s.out == 1 && context.has_write(Linear::kWeight);
  const std::int64_t columns =
      std::max(sums_weight ? s.in : 0, context.has_write(Linear::kBias) ? s.out : 0);
  A* partial = columns > 0 ? context.workspace<A>(kRowPartials * columns) : nullptr;
  // Order matters: dx may take the place of x, which dW still reads.
  if (context.has_write(Linear::kBias)) {
    sum_rows<T, A>(runtime::backend(context), dy, nullptr, s.rows, s.out, partial,
                   context.write<A>(Linear::kBias, s.out), context.accumulates(Linear::kBias));
  }
  if (context.has_write(Linear::kWeight)) weight_gradient(context, s, dy, partial);
  if (context.has_write(Linear::kX)) input_gradient(context, s, dy);
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

void register_linear(runtime::KernelTable& table) {
  table.add(Linear::kName, Pass::kForward, forward);
  table.add(Linear::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
