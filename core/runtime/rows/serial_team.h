#pragma once

#include "core/runtime/rows/pair.h"
#include "core/runtime/rows/slot.h"

#include <cstdint>

namespace headroom::runtime::rows {

/// The team of one CPU thread. See core/runtime/rows/team.h for what each call does.
/// Threads: one object per thread; rows run in parallel above it.
class SerialTeam {
 public:
  template <class F, class... X>
  HEADROOM_HD void apply(std::int64_t n, const F& f, X... x) {
    apply_arguments<AccumulateOf<X...>>(n, f, as_argument(x)...);
  }
  template <class T, class F, class... X>
  HEADROOM_HD void map(std::int64_t n, T* y, const F& f, X... x) {
    apply_arguments<AccumulateOf<Out<T>, X...>>(n, MapBody<F>{f}, out(y), as_argument(x)...);
  }
  template <class F, class... X>
  [[nodiscard]] HEADROOM_HD auto sum(std::int64_t n, const F& f, X... x) {
    return sum_arguments<AccumulateOf<X...>>(n, f, as_argument(x)...);
  }
  template <class F, class... X>
  [[nodiscard]] HEADROOM_HD auto sum2(std::int64_t n, const F& f, X... x) {
    return sum2_arguments<AccumulateOf<X...>>(n, f, as_argument(x)...);
  }
  template <class F, class... X>
  [[nodiscard]] HEADROOM_HD auto max(std::int64_t n, const F& f, X... x) {
    return max_arguments<AccumulateOf<X...>>(n, f, as_argument(x)...);
  }
  template <class T, class F, class... X>
  [[nodiscard]] HEADROOM_HD auto map_sum(std::int64_t n, T* y, const F& f, X... x) {
    return sum_arguments<AccumulateOf<Out<T>, X...>>(n, MapSumBody<F>{f}, out(y),
                                                     as_argument(x)...);
  }
  template <class F>
  HEADROOM_HD void for_each(std::int64_t n, const F& f) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) f(i);
  }
  template <class F>
  [[nodiscard]] HEADROOM_HD auto sum_index(std::int64_t n, const F& f) {
    using A = decltype(f(n));
    A total = 0;
#pragma omp simd reduction(+ : total)
    for (std::int64_t i = 0; i < n; ++i) total += f(i);
    return total;
  }
  template <class F>
  [[nodiscard]] HEADROOM_HD auto max_index(std::int64_t n, const F& f) {
    using A = decltype(f(n));
    A largest = lowest<A>();
#pragma omp simd reduction(max : largest)
    for (std::int64_t i = 0; i < n; ++i) {
      const A v = f(i);
      largest = v > largest ? v : largest;
    }
    return largest;
  }
  template <class E, class F, class... T>
  HEADROOM_HD void sum_rows(
      std::int64_t count, std::int64_t n, const E& emit, const F& f, Strided<T>... x) {
    for (std::int64_t begin = 0; begin < n; begin += kTile) {
      const std::int64_t size = n - begin < kTile ? n - begin : kTile;
      sum_tile<Accumulate<T...>>(count, begin, size, emit, f, x...);
    }
  }
  template <class F>
  HEADROOM_HD void once(const F& f) {
    f();
  }
  HEADROOM_HD void sync() {}

 private:
  /// Columns summed at once by sum_rows: their sums stay in the first-level cache.
  static constexpr std::int64_t kTile = 256;

  template <class A, class E, class F, class... T>
  HEADROOM_HD void sum_tile(std::int64_t count,
                            std::int64_t begin,
                            std::int64_t size,
                            const E& emit,
                            const F& f,
                            Strided<T>... x) {
    using V = decltype(f(count, Loaded<A, T>{}...));
    if constexpr (kIsPair<V>) {
      decltype(V::first) first[kTile] = {};
      decltype(V::first) second[kTile] = {};
      for (std::int64_t k = 0; k < count; ++k) {
#pragma omp simd
        for (std::int64_t j = 0; j < size; ++j) {
          const V v = f(k, load_as<A>(x.data[k * x.stride + begin + j])...);
          first[j] += v.first;
          second[j] += v.second;
        }
      }
#pragma omp simd
      for (std::int64_t j = 0; j < size; ++j) emit(begin + j, V{first[j], second[j]});
    } else {
      V total[kTile] = {};
      for (std::int64_t k = 0; k < count; ++k) {
#pragma omp simd
        for (std::int64_t j = 0; j < size; ++j) {
          total[j] += f(k, load_as<A>(x.data[k * x.stride + begin + j])...);
        }
      }
#pragma omp simd
      for (std::int64_t j = 0; j < size; ++j) emit(begin + j, total[j]);
    }
  }

  template <class A, class F, class... Arg>
  HEADROOM_HD void apply_arguments(std::int64_t n, const F& f, Arg... argument) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) run_element<A>(f, i, argument...);
  }
  template <class A, class F, class... Arg>
  HEADROOM_HD A sum_arguments(std::int64_t n, const F& f, Arg... argument) {
    A total = 0;
#pragma omp simd reduction(+ : total)
    for (std::int64_t i = 0; i < n; ++i) total += run_element<A>(f, i, argument...);
    return total;
  }
  template <class A, class F, class... Arg>
  HEADROOM_HD Pair<A> sum2_arguments(std::int64_t n, const F& f, Arg... argument) {
    A first = 0;
    A second = 0;
#pragma omp simd reduction(+ : first, second)
    for (std::int64_t i = 0; i < n; ++i) {
      const Pair<A> v = run_element<A>(f, i, argument...);
      first += v.first;
      second += v.second;
    }
    return {first, second};
  }
  template <class A, class F, class... Arg>
  HEADROOM_HD A max_arguments(std::int64_t n, const F& f, Arg... argument) {
    A largest = lowest<A>();
#pragma omp simd reduction(max : largest)
    for (std::int64_t i = 0; i < n; ++i) {
      const A v = run_element<A>(f, i, argument...);
      largest = v > largest ? v : largest;
    }
    return largest;
  }
};

}  // namespace headroom::runtime::rows
