#pragma once

#include "core/describe/hd.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace headroom::runtime::rows {

/// What a row program computes in when it reads these storage types: double if any of them is
/// double, float otherwise.
template <class... T>
using Accumulate = std::conditional_t<(std::is_same_v<T, double> || ...), double, float>;

/// What the body of a loop sees of an element stored as T while it computes in A: integers (masks,
/// targets) as they are, every float type as A.
template <class A, class T>
using Loaded = std::conditional_t<std::is_integral_v<T>, T, A>;

/// Element to value. T needs an explicit conversion to float.
template <class A, class T>
[[nodiscard]] HEADROOM_HD Loaded<A, T> load_as(const T& element) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, A>) {
    return element;
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<A>(element);
  } else {
    return static_cast<A>(static_cast<float>(element));
  }
}

/// Value to element, rounded as T's explicit constructor from float rounds.
template <class T, class V>
[[nodiscard]] HEADROOM_HD T store_as(V value) {
  if constexpr (std::is_same_v<T, V>) {
    return value;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value);
  } else {
    return static_cast<T>(static_cast<float>(value));
  }
}

/// An array a loop only reads. A plain pointer in an argument list means the same.
template <class T>
struct In {
  using Element = T;
  const T* data;
};

/// An array a loop only writes; the body gets a reference to a zero that becomes the element.
template <class T>
struct Out {
  using Element = T;
  T* data;
};

/// An array a loop reads and writes; the body gets a reference to the element's value.
template <class T>
struct InOut {
  using Element = T;
  T* data;
};

/// A matrix that team.sum_rows reads: row k starts at data + k * stride.
template <class T>
struct Strided {
  using Element = T;
  const T* data;
  std::int64_t stride;
};

/// In place of an array: the body gets the element's position, as a 32-bit integer so that it is
/// as wide as a float and the loop vectorises.
struct Position {
  using Element = std::int32_t;
};

template <class T>
[[nodiscard]] HEADROOM_HD In<T> in(const T* data) {
  return {data};
}
template <class T>
[[nodiscard]] HEADROOM_HD Out<T> out(T* data) {
  return {data};
}
template <class T>
[[nodiscard]] HEADROOM_HD InOut<T> inout(T* data) {
  return {data};
}
template <class T>
[[nodiscard]] HEADROOM_HD Strided<T> strided(const T* data, std::int64_t stride) {
  return {data, stride};
}
[[nodiscard]] HEADROOM_HD Position position() { return {}; }

template <class T>
[[nodiscard]] HEADROOM_HD In<T> as_argument(const T* data) {
  return {data};
}
template <class T>
[[nodiscard]] HEADROOM_HD In<T> as_argument(T* data) {
  return {data};
}
template <class T>
[[nodiscard]] HEADROOM_HD In<T> as_argument(In<T> argument) {
  return argument;
}
template <class T>
[[nodiscard]] HEADROOM_HD Out<T> as_argument(Out<T> argument) {
  return argument;
}
template <class T>
[[nodiscard]] HEADROOM_HD InOut<T> as_argument(InOut<T> argument) {
  return argument;
}
[[nodiscard]] HEADROOM_HD Position as_argument(Position argument) { return argument; }

/// In<T>, Out<T>, InOut<T> or Position for what stands in an argument list.
template <class X>
using Argument = decltype(as_argument(std::declval<X>()));

/// What a loop over these arguments computes in.
template <class... X>
using AccumulateOf = Accumulate<typename Argument<X>::Element...>;

}  // namespace headroom::runtime::rows
