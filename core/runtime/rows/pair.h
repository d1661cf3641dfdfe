#pragma once

#include "core/describe/hd.h"

#include <type_traits>

namespace headroom::runtime::rows {

/// Two values summed in one pass.
template <class A>
struct Pair {
  A first;
  A second;
};
template <class A>
Pair(A, A) -> Pair<A>;

template <class V>
inline constexpr bool kIsPair = false;
template <class A>
inline constexpr bool kIsPair<Pair<A>> = true;

/// Minus infinity: what a maximum over nothing is.
template <class A>
[[nodiscard]] HEADROOM_HD A lowest() {
  static_assert(std::is_same_v<A, float> || std::is_same_v<A, double>);
  if constexpr (std::is_same_v<A, double>) {
    return -__builtin_huge_val();
  } else {
    return -__builtin_huge_valf();
  }
}

}  // namespace headroom::runtime::rows
