#pragma once

#include "core/ops/partials.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {

namespace rows = runtime::rows;

/// Columns that one job sums: enough for a GPU block's 128-bit loads, a fraction of an L1 cache.
inline constexpr std::int64_t kSumTile = 1024;

[[nodiscard]] inline std::int64_t tiles(std::int64_t columns) {
  return (columns + kSumTile - 1) / kSumTile;
}

/// Job (partial p, tile): sum over the p-th share of the rows of weight[row] * x[row][column].
template <class T, class A>
struct PartialSums {
  const T* x;
  const T* weight;  ///< one per row, or nullptr for plain sums
  A* partial;       ///< (kRowPartials, columns)
  std::int64_t row_count, columns;

  [[nodiscard]] std::int64_t row_elements() const {
    return row_count / kRowPartials * (columns < kSumTile ? columns : kSumTile);
  }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t job) const {
    const std::int64_t p = job % kRowPartials;
    const std::int64_t begin = job / kRowPartials * kSumTile;
    const std::int64_t n = columns - begin < kSumTile ? columns - begin : kSumTile;
    A* sum = partial + p * columns + begin;
    team.apply(
        n, [](A& value) { value = 0; }, rows::out(sum));
    const std::int64_t end = row_count * (p + 1) / kRowPartials;
    for (std::int64_t row = row_count * p / kRowPartials; row < end; ++row) {
      const A w = weight == nullptr ? A(1) : static_cast<A>(weight[row]);
      team.apply(
          n, [w](A& value, A element) { value += w * element; }, rows::inout(sum),
          rows::in(x + row * columns + begin));
    }
  }
};

/// Job (tile): the partial sums of each column, in order.
template <class A>
struct FinalSums {
  const A* partial;
  A* result;
  std::int64_t columns;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return kSumTile * kRowPartials; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t job) const {
    const std::int64_t begin = job * kSumTile;
    const std::int64_t n = columns - begin < kSumTile ? columns - begin : kSumTile;
    const A* sums = partial + begin;
    A* y = result + begin;
    const std::int64_t stride = columns;
    const bool add = accumulate;
    team.for_each(n, [=](std::int64_t i) {
      A total = add ? y[i] : A(0);
      for (std::int64_t p = 0; p < kRowPartials; ++p) total += sums[p * stride + i];
      y[i] = total;
    });
  }
};

/// result[c] (+)= sum over rows of weight[row] * x[row][c]; the same bits for any thread count.
/// `partial` holds kRowPartials x columns values (column_sum_workspace).
template <class T, class A>
void sum_rows(runtime::Backend& backend,
              const T* x,
              const T* weight,
              std::int64_t row_count,
              std::int64_t columns,
              A* partial,
              A* result,
              bool accumulate) {
  const std::int64_t jobs = tiles(columns);
  backend.rows(PartialSums<T, A>{x, weight, partial, row_count, columns}, jobs * kRowPartials);
  backend.rows(FinalSums<A>{partial, result, columns, accumulate}, jobs);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
