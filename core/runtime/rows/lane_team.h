#pragma once

#include "core/runtime/rows/collective.h"
#include "core/runtime/rows/lane_loops.h"

#include <cstdint>

namespace headroom::runtime::rows {

/// The calls of core/runtime/rows/team.h for a team of `Lanes` lanes that each run the row program:
/// a GPU block (BlockTeam) or its simulation (SimTeam). The derived class supplies
///   int lane() const            this lane's number
///   void enter(Collective)      the barrier at the start of a collective
///   void sync()                 every other barrier
///   V reduce<Op>(V v)           Op over the lanes' values, the same for all; one barrier inside
///   V* scratch<V, Count>()      memory that all lanes share
/// Every collective starts and ends with a barrier. The one inside reduce() is a reduction's last:
/// after it a lane reads only what reduce() keeps, which the next collective's first one guards.
template <class Derived, int Lanes>
class LaneTeam {
 public:
  template <class F, class... X>
  HEADROOM_HD void apply(std::int64_t n, const F& f, X... x) {
    Ignore ignore;
    self().enter({"apply", n});
    lane_loop<Lanes, AccumulateOf<X...>>(self().lane(), n, f, ignore, as_argument(x)...);
    self().sync();
  }
  template <class T, class F, class... X>
  HEADROOM_HD void map(std::int64_t n, T* y, const F& f, X... x) {
    apply(n, MapBody<F>{f}, out(y), x...);
  }
  template <class F, class... X>
  [[nodiscard]] HEADROOM_HD auto sum(std::int64_t n, const F& f, X... x) {
    return reduce_loop<Add<AccumulateOf<X...>>>({"sum", n}, f, x...);
  }
  template <class F, class... X>
  [[nodiscard]] HEADROOM_HD auto sum2(std::int64_t n, const F& f, X... x) {
    return reduce_loop<Add<Pair<AccumulateOf<X...>>>>({"sum2", n}, f, x...);
  }
  template <class F, class... X>
  [[nodiscard]] HEADROOM_HD auto max(std::int64_t n, const F& f, X... x) {
    return reduce_loop<Largest<AccumulateOf<X...>>>({"max", n}, f, x...);
  }
  template <class T, class F, class... X>
  [[nodiscard]] HEADROOM_HD auto map_sum(std::int64_t n, T* y, const F& f, X... x) {
    return sum(n, MapSumBody<F>{f}, out(y), x...);
  }
  template <class F>
  HEADROOM_HD void for_each(std::int64_t n, const F& f) {
    Ignore ignore;
    self().enter({"for_each", n});
    lane_index_loop<Lanes>(self().lane(), n, f, ignore);
    self().sync();
  }
  template <class F>
  [[nodiscard]] HEADROOM_HD auto sum_index(std::int64_t n, const F& f) {
    return reduce_index_loop<Add<decltype(f(n))>>({"sum_index", n}, f);
  }
  template <class F>
  [[nodiscard]] HEADROOM_HD auto max_index(std::int64_t n, const F& f) {
    return reduce_index_loop<Largest<decltype(f(n))>>({"max_index", n}, f);
  }
  template <class E, class F, class... T>
  HEADROOM_HD void sum_rows(
      std::int64_t count, std::int64_t n, const E& emit, const F& f, Strided<T>... x) {
    constexpr int kWidth = vector_width<Strided<T>...>();
    self().enter({"sum_rows", n});
    if (n % kWidth == 0 && (is_aligned<kWidth>(x) && ...)) {
      sum_columns<kWidth, Accumulate<T...>>(count, n, emit, f, x...);
    } else {
      sum_columns<1, Accumulate<T...>>(count, n, emit, f, x...);
    }
    self().sync();
  }
  template <class F>
  HEADROOM_HD void once(const F& f) {
    self().enter({"once", 0});
    if (self().lane() == 0) f();
    self().sync();
  }

 private:
  HEADROOM_HD Derived& self() { return static_cast<Derived&>(*this); }

  template <class Keep, class F, class... X>
  HEADROOM_HD auto reduce_loop(Collective call, const F& f, X... x) {
    Keep keep;
    self().enter(call);
    lane_loop<Lanes, AccumulateOf<X...>>(self().lane(), call.n, f, keep, as_argument(x)...);
    return self().template reduce<Keep>(keep.total);
  }
  template <class Keep, class F>
  HEADROOM_HD auto reduce_index_loop(Collective call, const F& f) {
    Keep keep;
    self().enter(call);
    lane_index_loop<Lanes>(self().lane(), call.n, f, keep);
    return self().template reduce<Keep>(keep.total);
  }

  /// Each lane adds up N columns at a time. Where there are more lanes than columns, groups of
  /// lanes take every `groups`-th row each and their sums are added in the groups' order.
  template <int N, class A, class E, class F, class... T>
  HEADROOM_HD void sum_columns(
      std::int64_t count, std::int64_t n, const E& emit, const F& f, Strided<T>... x) {
    using V = decltype(f(count, Loaded<A, T>{}...));
    int width = Lanes;  // lanes of a group
    while (width > 1 && static_cast<std::int64_t>(width) / 2 * N >= n) width /= 2;
    const int groups = Lanes / width;
    const int group = self().lane() / width;
    const std::int64_t first = static_cast<std::int64_t>(self().lane() % width) * N;
    V* shared = self().template scratch<V, Lanes * N>();
    for (std::int64_t i = first; i < n; i += static_cast<std::int64_t>(width) * N) {
      Add<V> sums[N];
      lane_sum_rows<N, A>(group, groups, count, i, sums, f, x...);
      for (int j = 0; j < N; ++j) {
        if (groups == 1) {
          emit(i + j, sums[j].total);
        } else {
          shared[group * width * N + i + j] = sums[j].total;
        }
      }
    }
    if (groups == 1) return;
    self().sync();
    for (std::int64_t i = self().lane(); i < n; i += Lanes) {
      Add<V> sum;
      for (int g = 0; g < groups; ++g) sum(shared[g * width * N + i]);
      emit(i, sum.total);
    }
  }
};

}  // namespace headroom::runtime::rows
