#pragma once

#include "core/ops/reduce_plan.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {

namespace rows = runtime::rows;

/// Elements that one collective reduces. Sums of long runs are sums of such pieces, which keeps
/// rounding errors apart.
inline constexpr std::int64_t kReduceRun = 4096;
/// Neighbouring results that one row works on: they stay in an L1 cache.
inline constexpr std::int64_t kReduceTile = 1024;

/// What is reduced, and how. `reference` is the result's element, for those that compare with it.
template <class A>
struct SumOf {
  static HEADROOM_HD A start() { return A(0); }
  static HEADROOM_HD A term(A value, A /*reference*/) { return value; }
  static HEADROOM_HD A join(A a, A b) { return a + b; }
  template <class Team, class T>
  static HEADROOM_HD A over(Team& team, std::int64_t n, const T* x, A /*reference*/) {
    return team.sum(
        n, [](A v) { return v; }, rows::in(x));
  }
};

template <class A>
struct MaxOf {
  static HEADROOM_HD A start() { return rows::lowest<A>(); }
  static HEADROOM_HD A term(A value, A /*reference*/) { return value; }
  /// Once a NaN is met nothing replaces it.
  static HEADROOM_HD A join(A a, A b) { return b > a || b != b ? (a != a ? a : b) : a; }
  /// The team's maximum passes over NaN: they count as infinite first, and are looked for only if
  /// the maximum is infinite.
  template <class Team, class T>
  static HEADROOM_HD A over(Team& team, std::int64_t n, const T* x, A /*reference*/) {
    const A infinity = -rows::lowest<A>();
    const A largest = team.max(
        n, [=](A v) { return v != v ? infinity : v; }, rows::in(x));
    if (largest < infinity) return largest;
    const A nans = team.sum(
        n, [](A v) { return v != v ? A(1) : A(0); }, rows::in(x));
    return nans > A(0) ? static_cast<A>(__builtin_nanf("")) : largest;
  }
};

template <class A>
struct CountEqual {
  static HEADROOM_HD A start() { return A(0); }
  static HEADROOM_HD A term(A value, A reference) { return value == reference ? A(1) : A(0); }
  static HEADROOM_HD A join(A a, A b) { return a + b; }
  template <class Team, class T>
  static HEADROOM_HD A over(Team& team, std::int64_t n, const T* x, A reference) {
    return team.sum(
        n, [=](A v) { return term(v, reference); }, rows::in(x));
  }
};

/// Row = one result, reduced from contiguous runs of the array.
template <class T, class R, class Out>
struct ReduceRuns {
  using A = rows::Accumulate<T>;

  const T* x;
  const T* reference;  ///< laid out like y, or nullptr
  Out* y;
  ReducePlan plan;
  A scale;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return plan.reduced.count(); }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const T* base = x + plan.kept.offset(0, row);
    const std::int64_t at = plan.kept.offset(1, row);
    const A compared = reference == nullptr ? A(0) : static_cast<A>(reference[at]);
    const std::int64_t run = plan.reduced.inner_size();
    const std::int64_t runs = plan.reduced.outer_count();
    A total = R::start();
    for (std::int64_t r = 0; r < runs; ++r) {
      const T* p = base + plan.reduced.offset(0, r, 1);
      for (std::int64_t begin = 0; begin < run; begin += kReduceRun) {
        const std::int64_t n = run - begin < kReduceRun ? run - begin : kReduceRun;
        total = R::join(total, R::over(team, n, p + begin, compared));
      }
    }
    Out* slot = y + at;
    const A result = total * scale;
    const bool add = accumulate;
    team.once([=] { *slot = static_cast<Out>(add ? static_cast<A>(*slot) + result : result); });
  }
};

/// Row = a tile of neighbouring results, to which run upon run of the array is joined.
template <class T, class R, class Out>
struct ReduceColumns {
  using A = rows::Accumulate<T>;

  const T* x;
  const T* reference;
  Out* y;
  ReducePlan plan;
  A scale;
  bool accumulate;

  [[nodiscard]] std::int64_t tiles() const {
    return (plan.kept.inner_size() + kReduceTile - 1) / kReduceTile;
  }
  [[nodiscard]] std::int64_t row_count() const { return plan.kept.outer_count() * tiles(); }
  [[nodiscard]] std::int64_t row_elements() const {
    const std::int64_t inner = plan.kept.inner_size();
    return plan.reduced.count() * (inner < kReduceTile ? inner : kReduceTile);
  }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t inner = plan.kept.inner_size();
    const std::int64_t tile_count = (inner + kReduceTile - 1) / kReduceTile;
    const std::int64_t outer = row / tile_count;
    const std::int64_t begin = row % tile_count * kReduceTile;
    const std::int64_t n = inner - begin < kReduceTile ? inner - begin : kReduceTile;
    const std::int64_t stride = plan.kept.inner_stride(1);
    const std::int64_t at = plan.kept.offset(1, outer, 1) + begin * stride;
    const T* base = x + plan.kept.offset(0, outer, 1) + begin;
    const std::int64_t count = plan.reduced.count();
    for (std::int64_t r = 0; r < count; ++r) {
      join_run(team, n, base + plan.reduced.offset(0, r), at, stride, r == 0 && !accumulate);
    }
    if (scale == A(1)) return;
    const A k = scale;
    Out* out = y + at;
    team.for_each(n, [=](std::int64_t i) {
      out[i * stride] = static_cast<Out>(k * static_cast<A>(out[i * stride]));
    });
  }

 private:
  template <class Team>
  HEADROOM_HD void join_run(Team& team,
                            std::int64_t n,
                            const T* run,
                            std::int64_t at,
                            std::int64_t stride,
                            bool first) const {
    Out* out = y + at;
    // Without a reference the run itself stands in: it is at hand and its value is not used.
    const bool compares = reference != nullptr;
    const T* compared = compares ? reference + at : run;
    if (stride == 1) {
      team.apply(
          n,
          [=](A& total, A value, A other) {
            const A term = R::term(value, other);
            total = first ? term : R::join(total, term);
          },
          rows::inout(out), rows::in(run), rows::in(compared));
      return;
    }
    const std::int64_t other_stride = compares ? stride : 1;
    team.for_each(n, [=](std::int64_t i) {
      const A term = R::term(static_cast<A>(run[i]), static_cast<A>(compared[i * other_stride]));
      Out* slot = out + i * stride;
      *slot = static_cast<Out>(first ? term : R::join(static_cast<A>(*slot), term));
    });
  }
};

/// y (+)= scale * reduction of x. Only a single result may be accumulated with a scale, and sums
/// alone are; no step asks for more, since only its scalar loss is accumulated forward.
template <class R, class T, class Out>
void reduce(runtime::Backend& backend,
            const ReducePlan& plan,
            const T* x,
            const T* reference,
            Out* y,
            rows::Accumulate<T> scale,
            bool accumulate) {
  if (plan.inner_reduced) {
    backend.rows(ReduceRuns<T, R, Out>{x, reference, y, plan, scale, accumulate},
                 plan.kept.count());
  } else {
    const ReduceColumns<T, R, Out> program{x, reference, y, plan, scale, accumulate};
    backend.rows(program, program.row_count());
  }
}

}  // namespace headroom::ops::HEADROOM_KERNELS
