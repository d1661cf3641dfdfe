#pragma once

#include "core/runtime/rows/storage.h"

#include <cstdint>
#include <type_traits>

namespace headroom::runtime::rows {

/// One element of one argument while a loop body runs: `value` is what the body sees, store()
/// writes it back where the argument is written.
template <class A, class Arg>
struct Slot;

template <class A, class T>
struct Slot<A, In<T>> {
  const Loaded<A, T> value;
  HEADROOM_HD Slot(In<T> argument, std::int64_t i) : value(load_as<A>(argument.data[i])) {}
  HEADROOM_HD void store() const {}
};

template <class A, class T>
struct Slot<A, Out<T>> {
  T* target;
  Loaded<A, T> value{};
  HEADROOM_HD Slot(Out<T> argument, std::int64_t i) : target(argument.data + i) {}
  HEADROOM_HD void store() const { *target = store_as<T>(value); }
};

template <class A, class T>
struct Slot<A, InOut<T>> {
  T* target;
  Loaded<A, T> value;
  HEADROOM_HD Slot(InOut<T> argument, std::int64_t i)
      : target(argument.data + i), value(load_as<A>(*target)) {}
  HEADROOM_HD void store() const { *target = store_as<T>(value); }
};

template <class A>
struct Slot<A, Position> {
  const std::int32_t value;
  HEADROOM_HD Slot(Position /*argument*/, std::int64_t i) : value(static_cast<std::int32_t>(i)) {}
  HEADROOM_HD void store() const {}
};

namespace slot_detail {

template <class F, class... S>
HEADROOM_HD auto run(const F& body, S... slot) {
  if constexpr (std::is_void_v<decltype(body(slot.value...))>) {
    body(slot.value...);
    (slot.store(), ...);
  } else {
    const auto result = body(slot.value...);
    (slot.store(), ...);
    return result;
  }
}

}  // namespace slot_detail

/// Runs `body` on element i of every argument and returns what it returns.
template <class A, class F, class... Arg>
HEADROOM_HD auto run_element(const F& body, std::int64_t i, Arg... argument) {
  return slot_detail::run(body, Slot<A, Arg>(argument, i)...);
}

/// Body of a map: the function's result becomes the first argument's element.
template <class F>
struct MapBody {
  const F& function;
  template <class Y, class... V>
  HEADROOM_HD void operator()(Y& y, V... value) const {
    y = static_cast<Y>(function(value...));
  }
};

/// Body of a map that also sums: as MapBody, and the unrounded result is what is summed.
template <class F>
struct MapSumBody {
  const F& function;
  template <class Y, class... V>
  HEADROOM_HD auto operator()(Y& y, V... value) const {
    const auto result = function(value...);
    y = static_cast<Y>(result);
    return result;
  }
};

}  // namespace headroom::runtime::rows
