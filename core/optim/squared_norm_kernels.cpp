#include "core/describe/squared_norm.h"
#include "core/optim/kernels.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/storage.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

/// Partial p takes its share of the gradient in flat rows, summed among themselves in f64: sums of
/// millions of like-signed f32 terms would lose digits.
template <class T>
struct PartialSquares {
  const T* gradient;
  double* partial;
  rows::FlatRows flat;

  [[nodiscard]] std::int64_t row_elements() const { return flat.total / SquaredNorm::kPartials; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t p) const {
    using A = rows::Accumulate<T>;
    double total = 0;
    for (std::int64_t row = p; row < flat.rows(); row += SquaredNorm::kPartials) {
      total += static_cast<double>(team.sum(
          flat.size(row), [](A g) { return g * g; }, rows::in(gradient + flat.begin(row))));
    }
    double* slot = partial + p;
    team.once([=] { *slot = total; });
  }
};

struct TotalSquares {
  const double* partial;
  float* result;
  bool accumulate;

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t /*row*/) const {
    const TotalSquares self = *this;
    team.once([=] {
      double total = self.accumulate ? static_cast<double>(*self.result) : 0.0;
      for (std::int64_t p = 0; p < SquaredNorm::kPartials; ++p) total += self.partial[p];
      *self.result = static_cast<float>(total);
    });
  }
};

template <class T>
void run(KernelContext& context) {
  double* partial = context.workspace<double>(SquaredNorm::kPartials);
  const rows::FlatRows flat{context.read_type(0).shape.numel()};
  auto& backend = runtime::backend(context);
  backend.rows(PartialSquares<T>{context.read<T>(0), partial, flat}, SquaredNorm::kPartials);
  backend.rows(TotalSquares{partial, context.write<float>(0, 1), context.accumulates(0)}, 1);
}

void run_squared_norm(KernelContext& context) {
  runtime::with_wide_type(context.read_type(0).dtype, [&]<class T>() { run<T>(context); });
}

}  // namespace

void register_squared_norm(runtime::KernelTable& table) {
  table.add(SquaredNorm::kName, Pass::kUpdate, run_squared_norm);
}

}  // namespace headroom::optim::HEADROOM_KERNELS
