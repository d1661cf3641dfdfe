#pragma once

#include "core/ops/attention_plan.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {

namespace rows = runtime::rows;

/// Heads side by side in a (batch, time, columns) tensor: every head's matrix has rows `ld` apart.
template <class T>
struct Heads {
  T* data;
  std::int64_t time, ld, head_dim;
  [[nodiscard]] HEADROOM_HD T* at(std::int64_t b, std::int64_t t, std::int64_t head) const {
    return data + (b * time + t) * ld + head * head_dim;
  }
};

/// A few matrices of one shape: rows `ld` apart, matrices `stride` apart.
template <class T>
struct Matrices {
  T* data;
  std::int64_t ld, stride;
  [[nodiscard]] HEADROOM_HD T* row(std::int64_t matrix, std::int64_t i) const {
    return data + matrix * stride + i * ld;
  }
};

/// What a block of jobs works on: one chunk of queries, their keys, and for each job one head.
/// Row r of a program is query r % rows() of job r / rows().
struct ChunkView {
  std::int64_t batch = 0;
  std::int64_t first_head = 0, head_step = 1;  ///< query heads, one per job
  std::int64_t first_query = 0, queries = 0, first_key = 0, keys = 0;
  std::int64_t heads = 0, time = 0, window = 0;
  bool causal = true;

  [[nodiscard]] HEADROOM_HD std::int64_t job(std::int64_t row) const { return row / queries; }
  [[nodiscard]] HEADROOM_HD std::int64_t query(std::int64_t row) const { return row % queries; }
  [[nodiscard]] HEADROOM_HD std::int64_t head(std::int64_t row) const {
    return first_head + job(row) * head_step;
  }
  /// Position of a row among those of all queries of all heads.
  [[nodiscard]] HEADROOM_HD std::int64_t position(std::int64_t row) const {
    return (batch * heads + head(row)) * time + first_query + query(row);
  }
  /// Keys that the row's query sees, counted from first_key.
  [[nodiscard]] HEADROOM_HD std::int64_t begin(std::int64_t row) const {
    const std::int64_t first = first_query + query(row) - window + 1 - first_key;
    return window > 0 && first > 0 ? first : 0;
  }
  [[nodiscard]] HEADROOM_HD std::int64_t end(std::int64_t row) const {
    return causal ? first_query + query(row) + 1 - first_key : keys;
  }
};

/// Zeros outside [begin, end) of a row of n elements.
template <class Team, class T>
HEADROOM_HD void clear_masked(
    Team& team, T* x, std::int64_t begin, std::int64_t end, std::int64_t n) {
  const auto zero = [](rows::Accumulate<T>& v) { v = 0; };
  if (begin > 0) team.apply(begin, zero, rows::out(x));
  if (end < n) team.apply(n - end, zero, rows::out(x + end));
}

/// Scores become exponentials, largest 1; masked ones 0.
template <class T, class A>
struct Exponentials {
  ChunkView view;
  Matrices<A> scores;
  Matrices<T> exponentials;  ///< may be the scores
  Matrices<A> sums;          ///< one column
  A* log_sum_exp;            ///< or nullptr
  A scale;

  [[nodiscard]] std::int64_t row_elements() const { return 2 * view.keys; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = view.begin(row);
    const std::int64_t end = view.end(row);
    const A* const x = scores.row(view.job(row), view.query(row));
    T* const y = exponentials.row(view.job(row), view.query(row));
    const A k = scale;
    const A largest = team.max(
        end - begin, [](A v) { return v; }, rows::in(x + begin));
    const A sum = team.map_sum(
        end - begin, y + begin, [=](A v) { return rows::exp(k * (v - largest)); },
        rows::in(x + begin));
    clear_masked(team, y, begin, end, view.keys);
    A* const sum_slot = sums.row(view.job(row), view.query(row));
    A* const lse_slot = log_sum_exp == nullptr ? nullptr : log_sum_exp + view.position(row);
    team.once([=] {
      *sum_slot = sum;
      if (lse_slot != nullptr) *lse_slot = k * largest + rows::log(sum);
    });
  }
};

/// out = summed values / sum of exponentials.
template <class T, class A>
struct NormalizedOutput {
  ChunkView view;
  Matrices<A> summed;
  Matrices<A> sums;
  Heads<T> out;

  [[nodiscard]] std::int64_t row_elements() const { return out.head_dim; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t i = view.query(row);
    const A factor = A(1) / *sums.row(view.job(row), i);
    team.map(
        out.head_dim, out.at(view.batch, view.first_query + i, view.head(row)),
        [=](A v) { return v * factor; }, rows::in<A>(summed.row(view.job(row), i)));
  }
};

/// Keeps a chunk's probabilities for backward, zeros where the chunk does not look included.
template <class T, class A>
struct KeepProbabilities {
  ChunkView view;
  Matrices<T> exponentials;
  Matrices<A> sums;
  T* probabilities;

  [[nodiscard]] std::int64_t row_elements() const { return view.time; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t i = view.query(row);
    const A factor = A(1) / *sums.row(view.job(row), i);
    T* const y = probabilities + view.position(row) * view.time;
    team.map(
        view.keys, y + view.first_key, [=](A v) { return v * factor; },
        rows::in<T>(exponentials.row(view.job(row), i)));
    clear_masked(team, y, view.first_key, view.first_key + view.keys, view.time);
  }
};

/// Scores become probabilities again.
template <class T, class A>
struct Probabilities {
  ChunkView view;
  Matrices<A> scores;
  Matrices<T> probabilities;  ///< may be the scores
  const A* log_sum_exp;
  A scale;

  [[nodiscard]] std::int64_t row_elements() const { return view.keys; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = view.begin(row);
    const std::int64_t end = view.end(row);
    const A* const x = scores.row(view.job(row), view.query(row));
    T* const y = probabilities.row(view.job(row), view.query(row));
    const A k = scale;
    const A shift = log_sum_exp[view.position(row)];
    team.map(
        end - begin, y + begin, [=](A v) { return rows::exp(k * v - shift); }, rows::in(x + begin));
    clear_masked(team, y, begin, end, view.keys);
  }
};

/// Gradients dp of probabilities p become those of scores: scale p (dp - sum of p dp). The sum is
/// that of out times its gradient, head_dim terms instead of one per key, where out was kept.
template <class T, class A>
struct ScoreSlopes {
  ChunkView view;
  Matrices<const T> probabilities;
  Matrices<A> gradients;
  Matrices<T> slopes;  ///< may be the gradients
  Heads<const T> out;  ///< data may be nullptr
  Heads<const T> upstream;
  A scale;

  [[nodiscard]] std::int64_t row_elements() const { return view.keys; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t i = view.query(row);
    const T* const p = probabilities.row(view.job(row), i);
    const A* const dp = gradients.row(view.job(row), i);
    const auto multiply = [](A a, A b) { return a * b; };
    A mean;
    if (out.data != nullptr) {
      const std::int64_t t = view.first_query + i;
      mean = team.sum(out.head_dim, multiply, rows::in(out.at(view.batch, t, view.head(row))),
                      rows::in(upstream.at(view.batch, t, view.head(row))));
    } else {
      mean = team.sum(view.keys, multiply, rows::in(p), rows::in(dp));
    }
    const A k = scale;
    team.map(
        view.keys, slopes.row(view.job(row), i), [=](A d, A v) { return k * v * (d - mean); },
        rows::in(dp), rows::in(p));
  }
};

/// y = x or y += x, rows of one matrix per job.
template <class T, class U>
struct CopyRows {
  Matrices<T> x;
  Matrices<U> y;
  std::int64_t count, columns;
  bool accumulate = false;

  [[nodiscard]] std::int64_t row_elements() const { return columns; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = rows::Accumulate<T, U>;
    const T* const from = x.row(row / count, row % count);
    U* const to = y.row(row / count, row % count);
    if (accumulate) {
      team.apply(
          columns, [](A& v, A add) { v += add; }, rows::inout(to), rows::in(from));
    } else {
      team.map(
          columns, to, [](A v) { return v; }, rows::in(from));
    }
  }
};

/// x = 0, one matrix per job.
template <class A>
struct ClearRows {
  Matrices<A> x;
  std::int64_t count, columns;

  [[nodiscard]] std::int64_t row_elements() const { return columns; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    team.apply(
        columns, [](A& v) { v = 0; }, rows::out(x.row(row / count, row % count)));
  }
};

}  // namespace headroom::ops::HEADROOM_KERNELS
