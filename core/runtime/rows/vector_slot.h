#pragma once

#include "core/runtime/rows/storage.h"

#include <cstdint>

namespace headroom::runtime::rows {

/// Elements a lane takes at once: as many as 16 bytes hold of the narrowest element, 8 at most.
template <class... Arg>
[[nodiscard]] HEADROOM_HD constexpr int vector_width() {
  int narrowest = 16;
  ((narrowest = sizeof(typename Arg::Element) < static_cast<unsigned>(narrowest)
                    ? static_cast<int>(sizeof(typename Arg::Element))
                    : narrowest),
   ...);
  return 16 / narrowest < 8 ? 16 / narrowest : 8;
}

/// N elements of T, loaded and stored in accesses of up to 128 bits.
template <class T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Vector {
  T element[N];
};

/// Whether every row of N-element vectors in this argument starts on a vector's boundary.
template <int N, class Arg>
[[nodiscard]] HEADROOM_HD bool is_aligned(const Arg& argument) {
  using V = Vector<typename Arg::Element, N>;
  return reinterpret_cast<std::uintptr_t>(argument.data) % alignof(V) == 0;
}
template <int N, class T>
[[nodiscard]] HEADROOM_HD bool is_aligned(const Strided<T>& argument) {
  using V = Vector<T, N>;
  return reinterpret_cast<std::uintptr_t>(argument.data) % alignof(V) == 0 &&
         argument.stride * static_cast<std::int64_t>(sizeof(T)) %
                 static_cast<std::int64_t>(alignof(V)) ==
             0;
}
template <int N>
[[nodiscard]] HEADROOM_HD bool is_aligned(const Position& /*argument*/) {
  return true;
}

/// N neighbouring elements of one argument while a loop body runs; Slot's vector form.
template <class A, class Arg, int N>
struct VectorSlot;

template <class A, class T, int N>
struct VectorSlot<A, In<T>, N> {
  Loaded<A, T> values[N];
  HEADROOM_HD VectorSlot(In<T> argument, std::int64_t i) {
    const auto v = *reinterpret_cast<const Vector<T, N>*>(argument.data + i);
    for (int j = 0; j < N; ++j) values[j] = load_as<A>(v.element[j]);
  }
  HEADROOM_HD const Loaded<A, T>& at(int j) const { return values[j]; }
  HEADROOM_HD void store() const {}
};

template <class A, class T, int N>
struct VectorSlot<A, Out<T>, N> {
  T* target;
  Loaded<A, T> values[N];
  HEADROOM_HD VectorSlot(Out<T> argument, std::int64_t i) : target(argument.data + i) {
    for (int j = 0; j < N; ++j) values[j] = Loaded<A, T>{};
  }
  HEADROOM_HD Loaded<A, T>& at(int j) { return values[j]; }
  HEADROOM_HD void store() const {
    Vector<T, N> v;
    for (int j = 0; j < N; ++j) v.element[j] = store_as<T>(values[j]);
    *reinterpret_cast<Vector<T, N>*>(target) = v;
  }
};

template <class A, class T, int N>
struct VectorSlot<A, InOut<T>, N> : VectorSlot<A, Out<T>, N> {
  HEADROOM_HD VectorSlot(InOut<T> argument, std::int64_t i)
      : VectorSlot<A, Out<T>, N>(Out<T>{argument.data}, i) {
    const auto v = *reinterpret_cast<const Vector<T, N>*>(argument.data + i);
    for (int j = 0; j < N; ++j) this->values[j] = load_as<A>(v.element[j]);
  }
};

template <class A, int N>
struct VectorSlot<A, Position, N> {
  std::int32_t first;
  HEADROOM_HD VectorSlot(Position /*argument*/, std::int64_t i)
      : first(static_cast<std::int32_t>(i)) {}
  HEADROOM_HD std::int32_t at(int j) const { return first + j; }
  HEADROOM_HD void store() const {}
};

template <class A, class T, int N>
struct VectorSlot<A, Strided<T>, N> : VectorSlot<A, In<T>, N> {
  HEADROOM_HD VectorSlot(Strided<T> argument, std::int64_t k, std::int64_t i)
      : VectorSlot<A, In<T>, N>(In<T>{argument.data + k * argument.stride}, i) {}
};

}  // namespace headroom::runtime::rows
