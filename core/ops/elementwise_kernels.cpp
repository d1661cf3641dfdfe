#include "core/ops/elementwise.h"
#include "core/ops/kernels.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

struct Sum {
  template <class A>
  HEADROOM_HD A operator()(A a, A b) const {
    return a + b;
  }
};

struct Product {
  template <class A>
  HEADROOM_HD A operator()(A a, A b) const {
    return a * b;
  }
};

template <class T, class F>
struct Binary {
  const T* a;
  const T* b;
  T* y;
  rows::FlatRows flat;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = flat.begin(row);
    team.map(flat.size(row), y + begin, F{}, rows::in(a + begin), rows::in(b + begin));
  }
};

template <class T>
struct Copy {
  using A = rows::Accumulate<T>;
  const T* x;
  T* y;
  rows::FlatRows flat;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = flat.begin(row);
    const std::int64_t n = flat.size(row);
    if (accumulate) {
      team.apply(
          n, [](A& v, A e) { v += e; }, rows::inout(y + begin), rows::in(x + begin));
    } else {
      team.map(
          n, y + begin, [](A e) { return e; }, rows::in(x + begin));
    }
  }
};

/// Both gradients of a product in one pass. A missing gradient is nullptr. Every element is read
/// before any is written, so that gradients may lie over dy, a and b.
template <class T>
struct ProductGradients {
  using A = rows::Accumulate<T>;
  const T* a;
  const T* b;
  const T* dy;
  T* da;
  T* db;
  rows::FlatRows flat;
  bool accumulate_a, accumulate_b;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = flat.begin(row);
    const std::int64_t n = flat.size(row);
    const bool add_a = accumulate_a;
    const bool add_b = accumulate_b;
    if (da == nullptr) {
      one_side(team, n, db + begin, a + begin, dy + begin, add_b);
    } else if (db == nullptr) {
      one_side(team, n, da + begin, b + begin, dy + begin, add_a);
    } else if (da == db) {
      // a and b are one tensor: their gradients add up.
      team.apply(
          n, [=](A& g, A x, A z, A d) { g = (add_a ? g : A(0)) + d * x + d * z; },
          rows::inout(da + begin), rows::in(a + begin), rows::in(b + begin), rows::in(dy + begin));
    } else {
      team.apply(
          n,
          [=](A& ga, A& gb, A x, A z, A d) {
            ga = (add_a ? ga : A(0)) + d * z;
            gb = (add_b ? gb : A(0)) + d * x;
          },
          rows::inout(da + begin), rows::inout(db + begin), rows::in(a + begin),
          rows::in(b + begin), rows::in(dy + begin));
    }
  }

 private:
  template <class Team>
  static HEADROOM_HD void one_side(
      Team& team, std::int64_t n, T* gradient, const T* other, const T* upstream, bool add) {
    team.apply(
        n, [=](A& g, A o, A d) { g = (add ? g : A(0)) + d * o; }, rows::inout(gradient),
        rows::in(other), rows::in(upstream));
  }
};

template <class T, class F>
void forward_typed(KernelContext& context) {
  const rows::FlatRows flat{context.input_type(0).shape.numel()};
  const T* a = context.read<T>(0);
  const T* b = context.read<T>(1);
  runtime::backend(context).rows(Binary<T, F>{a, b, context.write<T>(0, flat.total), flat},
                                 flat.rows());
}

template <class T>
void add_backward_typed(KernelContext& context) {
  const rows::FlatRows flat{context.input_type(0).shape.numel()};
  const T* dy = context.read<T>(context.output_gradient(0));
  for (std::size_t i = 0; i < 2; ++i) {
    if (!context.has_write(i)) continue;
    T* gradient = context.write<T>(i, flat.total);
    const bool accumulate = context.accumulates(i);
    if (gradient == dy && !accumulate) continue;  // took over dy's storage, values and all
    runtime::backend(context).rows(Copy<T>{dy, gradient, flat, accumulate}, flat.rows());
  }
}

template <class T>
void mul_backward_typed(KernelContext& context) {
  const rows::FlatRows flat{context.input_type(0).shape.numel()};
  ProductGradients<T> program{.a = context.has_write(1) ? context.read<T>(0) : nullptr,
                              .b = context.has_write(0) ? context.read<T>(1) : nullptr,
                              .dy = context.read<T>(context.output_gradient(0)),
                              .da = nullptr,
                              .db = nullptr,
                              .flat = flat,
                              .accumulate_a = context.accumulates(0),
                              .accumulate_b = context.accumulates(1)};
  if (context.has_write(0)) program.da = context.write<T>(0, flat.total);
  if (context.has_write(1)) program.db = context.write<T>(1, flat.total);
  runtime::backend(context).rows(program, flat.rows());
}

template <class F>
void forward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { forward_typed<T, F>(context); });
}

void add_backward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { add_backward_typed<T>(context); });
}

void mul_backward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { mul_backward_typed<T>(context); });
}

}  // namespace

void register_elementwise(runtime::KernelTable& table) {
  table.add(Add::kName, Pass::kForward, forward<Sum>);
  table.add(Add::kName, Pass::kBackward, add_backward);
  table.add(Mul::kName, Pass::kForward, forward<Product>);
  table.add(Mul::kName, Pass::kBackward, mul_backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
