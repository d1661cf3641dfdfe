#pragma once

#include "core/runtime/rows/pair.h"
#include "core/runtime/rows/storage.h"

#include <cstdint>

namespace headroom::runtime::rows {

/// How a sum over many rows is cut so that its result does not depend on the thread count: a fixed
/// number of partial sums, each over neighbouring matrix rows and computed tile by tile, then one
/// sum over the partials. Program row r of the first pass works on `share(r)`.
struct ColumnCut {
  /// Partial sums unless the caller has a reason; enough for CPU threads, few enough to be cheap.
  static constexpr std::int64_t kPartials = 16;
  /// Columns a program row covers: with 16 partials, a GPU gets 16 blocks for every 256 columns.
  static constexpr std::int64_t kTile = 256;

  std::int64_t rows;
  std::int64_t columns;
  std::int64_t partials = kPartials;

  /// One program row's part: `rows` matrix rows from `first_row` on, `columns` columns from
  /// `first_column` on, summed into partial sum number `partial`.
  struct Share {
    std::int64_t partial;
    std::int64_t first_row;
    std::int64_t rows;
    std::int64_t first_column;
    std::int64_t columns;
  };

  [[nodiscard]] HEADROOM_HD std::int64_t tiles() const { return (columns + kTile - 1) / kTile; }
  [[nodiscard]] HEADROOM_HD std::int64_t shares() const { return partials * tiles(); }
  [[nodiscard]] HEADROOM_HD std::int64_t share_elements() const {
    return (rows + partials - 1) / partials * (columns < kTile ? columns : kTile);
  }
  [[nodiscard]] HEADROOM_HD Share share(std::int64_t row) const {
    const std::int64_t partial = row / tiles();
    const std::int64_t column = row % tiles() * kTile;
    const std::int64_t first = partial * rows / partials;
    const std::int64_t left = columns - column;
    return {partial, first, (partial + 1) * rows / partials - first, column,
            left < kTile ? left : kTile};
  }
  /// Elements of the buffer of partial sums, partials x columns in the type computed in.
  [[nodiscard]] HEADROOM_HD std::int64_t buffer_elements() const { return partials * columns; }
};

/// First pass of the column sums of a matrix: run over `cut.shares()` rows.
/// Shapes: x (cut.rows, cut.columns) with rows `stride` apart; partials (cut.partials,
/// cut.columns).
template <class T>
struct ColumnPartials {
  ColumnCut cut;
  const T* x;
  std::int64_t stride;
  Accumulate<T>* partials;

  [[nodiscard]] std::int64_t row_elements() const { return cut.share_elements(); }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = Accumulate<T>;
    const ColumnCut::Share share = cut.share(row);
    A* const sums = partials + share.partial * cut.columns + share.first_column;
    team.sum_rows(
        share.rows, share.columns, [=](std::int64_t i, A sum) { sums[i] = sum; },
        [](std::int64_t /*k*/, A v) { return v; },
        strided(x + share.first_row * stride + share.first_column, stride));
  }
};

/// Second pass: out = the sum of the partial sums, or out += it. Run over `cut.tiles()` rows.
/// Shapes: partials (cut.partials, cut.columns), out (cut.columns).
template <class A, class T>
struct ColumnTotals {
  ColumnCut cut;
  const A* partials;
  T* out;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return cut.partials * ColumnCut::kTile; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t column = row * ColumnCut::kTile;
    const std::int64_t left = cut.columns - column;
    T* const totals = out + column;
    const bool add = accumulate;
    team.sum_rows(
        cut.partials, left < ColumnCut::kTile ? left : ColumnCut::kTile,
        [=](std::int64_t i, A sum) {
          totals[i] = store_as<T>(add ? static_cast<A>(load_as<A>(totals[i])) + sum : sum);
        },
        [](std::int64_t /*k*/, A v) { return v; }, strided(partials + column, cut.columns));
  }
};

/// out = scale * the sum of x, or out += it, for one long vector (a loss over all rows): one
/// program row, so one thread or block, in a fixed order.
/// Shapes: x (n), out (1).
template <class T, class U>
struct VectorSum {
  const T* x;
  std::int64_t n;
  Accumulate<T> scale;
  U* out;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return n; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t /*row*/) const {
    using A = Accumulate<T>;
    const A sum = scale * team.sum(
                              n, [](A v) { return v; }, x);
    U* const target = out;
    const bool add = accumulate;
    team.once(
        [=] { *target = store_as<U>(add ? static_cast<A>(load_as<A>(*target)) + sum : sum); });
  }
};

/// Runs both passes through `run(program, rows)`: run_rows_host or a device launch.
/// Shapes: x (cut.rows, cut.columns) with rows `stride` apart; buffer (cut.partials, cut.columns);
/// out (cut.columns).
template <class T, class U, class Run>
void column_sum(const Run& run,
                const ColumnCut& cut,
                const T* x,
                std::int64_t stride,
                Accumulate<T>* buffer,
                U* out,
                bool accumulate) {
  run(ColumnPartials<T>{cut, x, stride, buffer}, cut.shares());
  run(ColumnTotals<Accumulate<T>, U>{cut, buffer, out, accumulate}, cut.tiles());
}

}  // namespace headroom::runtime::rows
