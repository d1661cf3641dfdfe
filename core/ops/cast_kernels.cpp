#include "core/ops/cast.h"
#include "core/ops/kernels.h"
#include "core/ops/write_or_add.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

template <class From, class To>
struct CastElements {
  const From* x;
  To* y;
  rows::FlatRows flat;
  bool add;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = rows::Accumulate<From, To>;
    const std::int64_t begin = flat.begin(row);
    write_or_add(
        team, flat.size(row), y + begin, add, [](A v) { return v; }, rows::in(x + begin));
  }
};

void run_cast(KernelContext& context) {
  const std::size_t source =
      context.pass() == Pass::kForward ? std::size_t{0} : context.output_gradient(0);
  const rows::FlatRows flat{context.input_type(0).shape.numel()};
  runtime::with_float_type(context.read_type(source).dtype, [&]<class From>() {
    runtime::with_float_type(context.write_type(0).dtype, [&]<class To>() {
      runtime::backend(context).rows(
          CastElements<From, To>{context.read<From>(source), context.write<To>(0, flat.total), flat,
                                 context.accumulates(0)},
          flat.rows());
    });
  });
}

}  // namespace

void register_cast(runtime::KernelTable& table) {
  table.add(Cast::kName, Pass::kForward, run_cast);
  table.add(Cast::kName, Pass::kBackward, run_cast);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
