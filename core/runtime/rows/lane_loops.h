#pragma once

#include "core/runtime/rows/pair.h"
#include "core/runtime/rows/slot.h"
#include "core/runtime/rows/vector_slot.h"

#include <cstdint>

namespace headroom::runtime::rows {

// What one lane of a team of `Lanes` does in a loop over n elements: the map from lanes to elements
// and the order in which a lane adds up its share. The GPU block and its simulation both run this.

/// Adds a loop's values.
template <class V>
struct Add {
  V total{};
  HEADROOM_HD void operator()(const V& v) {
    if constexpr (kIsPair<V>) {
      total.first += v.first;
      total.second += v.second;
    } else {
      total += v;
    }
  }
};

/// Keeps the largest of a loop's values.
template <class V>
struct Largest {
  V total = lowest<V>();
  HEADROOM_HD void operator()(const V& v) { total = v > total ? v : total; }
};

/// For loops that return nothing.
struct Ignore {
  template <class V>
  HEADROOM_HD void operator()(const V& /*v*/) {}
};

namespace lane_detail {

template <int N, class F, class Keep, class... S>
HEADROOM_HD void run_vector(const F& body, Keep& keep, S... slot) {
  for (int j = 0; j < N; ++j) {
    if constexpr (std::is_void_v<decltype(body(slot.at(j)...))>) {
      body(slot.at(j)...);
    } else {
      keep(body(slot.at(j)...));
    }
  }
  (slot.store(), ...);
}

template <class A, class F, class Keep, class... Arg>
HEADROOM_HD void run_scalar(const F& body, Keep& keep, std::int64_t i, Arg... argument) {
  if constexpr (std::is_void_v<decltype(run_element<A>(body, i, argument...))>) {
    run_element<A>(body, i, argument...);
  } else {
    keep(run_element<A>(body, i, argument...));
  }
}

}  // namespace lane_detail

/// A lane's share of a loop over arrays: vectors dealt in turn to the lanes and then a tail of
/// single elements, or single elements only where some array does not start on a vector boundary.
template <int Lanes, class A, class F, class Keep, class... Arg>
HEADROOM_HD void lane_loop(int lane, std::int64_t n, const F& body, Keep& keep, Arg... argument) {
  constexpr int kWidth = vector_width<Arg...>();
  if ((is_aligned<kWidth>(argument) && ...)) {
    const std::int64_t whole = n - n % kWidth;
    for (std::int64_t i = static_cast<std::int64_t>(lane) * kWidth; i < whole;
         i += static_cast<std::int64_t>(Lanes) * kWidth) {
      lane_detail::run_vector<kWidth>(body, keep, VectorSlot<A, Arg, kWidth>(argument, i)...);
    }
    if (whole + lane < n) lane_detail::run_scalar<A>(body, keep, whole + lane, argument...);
  } else {
    for (std::int64_t i = lane; i < n; i += Lanes) {
      lane_detail::run_scalar<A>(body, keep, i, argument...);
    }
  }
}

/// A lane's share of a loop over an index.
template <int Lanes, class F, class Keep>
HEADROOM_HD void lane_index_loop(int lane, std::int64_t n, const F& body, Keep& keep) {
  for (std::int64_t i = lane; i < n; i += Lanes) {
    if constexpr (std::is_void_v<decltype(body(i))>) {
      body(i);
    } else {
      keep(body(i));
    }
  }
}

/// Adds up rows first, first + step, ... of N columns from i on.
template <int N, class A, class V, class F, class... T>
HEADROOM_HD void lane_sum_rows(std::int64_t first,
                               std::int64_t step,
                               std::int64_t count,
                               std::int64_t i,
                               Add<V> (&sums)[N],
                               const F& body,
                               Strided<T>... x) {
  for (std::int64_t k = first; k < count; k += step) {
    if constexpr (N == 1) {
      sums[0](body(k, load_as<A>(x.data[k * x.stride + i])...));
    } else {
      [&](auto... slot) {
        for (int j = 0; j < N; ++j) sums[j](body(k, slot.at(j)...));
      }(VectorSlot<A, Strided<T>, N>(x, k, i)...);
    }
  }
}

}  // namespace headroom::runtime::rows
