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
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = rows::Accumulate<T>;
    const std::int64_t begin = flat.begin(row);
    const std::int64_t n = flat.size(row);
    if (accumulate) {
      team.apply(
          n, [](A& v, A l, A r) { v += F{}(l, r); }, rows::inout(y + begin), rows::in(a + begin),
          rows::in(b + begin));
    } else {
      team.map(n, y + begin, F{}, rows::in(a + begin), rows::in(b + begin));
    }
  }
};

/// y (+)= x, or ones where x is nullptr: the gradient of a loss.
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
    const bool ones = x == nullptr;
    const bool add = accumulate;
    T* to = y + begin;
    team.apply(
        flat.size(row), [=](A& v, A e) { v = (add ? v : A(0)) + (ones ? A(1) : e); },
        rows::inout(to), rows::in(ones ? to : x + begin));
  }
};

/// Both gradients of a product in one pass. A missing gradient is nullptr, a missing dy means ones
/// (the product is the loss). Every element is read
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
    const bool ones = dy == nullptr;
    const T* d_row = (ones ? (a == nullptr ? b : a) : dy) + begin;
    if (da == nullptr) {
      one_side(team, n, db + begin, a + begin, d_row, add_b, ones);
    } else if (db == nullptr) {
      one_side(team, n, da + begin, b + begin, d_row, add_a, ones);
    } else if (da == db) {
      // a and b are one tensor: their gradients add up.
      team.apply(
          n,
          [=](A& g, A x, A z, A upstream) {
            const A d = ones ? A(1) : upstream;
            g = (add_a ? g : A(0)) + d * x + d * z;
          },
          rows::inout(da + begin), rows::in(a + begin), rows::in(b + begin), rows::in(d_row));
    } else {
      team.apply(
          n,
          [=](A& ga, A& gb, A x, A z, A upstream) {
            const A d = ones ? A(1) : upstream;
            ga = (add_a ? ga : A(0)) + d * z;
            gb = (add_b ? gb : A(0)) + d * x;
          },
          rows::inout(da + begin), rows::inout(db + begin), rows::in(a + begin),
          rows::in(b + begin), rows::in(d_row));
    }
  }

 private:
  template <class Team>
  static HEADROOM_HD void one_side(Team& team,
                                   std::int64_t n,
                                   T* gradient,
                                   const T* other,
                                   const T* upstream,
                                   bool add,
                                   bool ones) {
    team.apply(
        n, [=](A& g, A o, A d) { g = (add ? g : A(0)) + (ones ? o : d * o); },
        rows::inout(gradient), rows::in(other), rows::in(upstream));
  }
};

/// dy, or nullptr if y is the loss itself.
template <class T>
const T* upstream_of(const KernelContext& context) {
  const std::size_t position = context.output_gradient(0);
  return context.has_read(position) ? context.read<T>(position) : nullptr;
}

template <class T, class F>
void forward_typed(KernelContext& context) {
  const rows::FlatRows flat{context.input_type(0).shape.numel()};
  const T* a = context.read<T>(0);
  const T* b = context.read<T>(1);
  runtime::backend(context).rows(
      Binary<T, F>{a, b, context.write<T>(0, flat.total), flat, context.accumulates(0)},
      flat.rows());
}

template <class T>
void add_backward_typed(KernelContext& context) {
  const rows::FlatRows flat{context.input_type(0).shape.numel()};
  const T* dy = upstream_of<T>(context);
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
                              .dy = upstream_of<T>(context),
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
  runtime::with_wide_type(context.input_type(0).dtype,
                          [&]<class T>() { forward_typed<T, F>(context); });
}

void add_backward(KernelContext& context) {
  runtime::with_wide_type(context.input_type(0).dtype,
                          [&]<class T>() { add_backward_typed<T>(context); });
}

void mul_backward(KernelContext& context) {
  runtime::with_wide_type(context.input_type(0).dtype,
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
