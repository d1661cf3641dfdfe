#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace headroom {

/// A number with a unit. Units do not mix; arithmetic within one unit is plain.
template <class Tag, class Rep>
class Quantity {
 public:
  using rep = Rep;
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}
  [[nodiscard]] constexpr Rep value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) { return value_ += other.value_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value_ -= other.value_, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, Rep k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(Rep k, Quantity a) { return a * k; }
  friend constexpr auto operator<=>(Quantity a, Quantity b) = default;

 private:
  Rep value_{};
};

using Bytes = Quantity<struct BytesTag, std::int64_t>;
/// Floating-point operations; a multiply-add counts as 2. A double, since whole runs pass 2^63.
using Flops = Quantity<struct FlopsTag, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using Seconds = Quantity<struct SecondsTag, double>;
using Usd = Quantity<struct UsdTag, double>;

constexpr Seconds operator/(Flops work, FlopsPerSecond rate) {
  return Seconds(work.value() / rate.value());
}
constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
  return Seconds(static_cast<double>(size.value()) / rate.value());
}
constexpr FlopsPerSecond operator/(Flops work, Seconds time) {
  return FlopsPerSecond(work.value() / time.value());
}

namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n)); }
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) << 10);
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) << 20);
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) << 30);
}
}  // namespace literals

/// `size` rounded up to a multiple of `alignment` (a power of two).
[[nodiscard]] constexpr Bytes round_up(Bytes size, std::int64_t alignment) {
  return Bytes((size.value() + alignment - 1) & ~(alignment - 1));
}

/// Checked product of non-negative sizes. Throws ShapeError naming `what` when it passes 2^63 - 1.
[[nodiscard]] std::int64_t checked_multiply(std::int64_t a,
                                            std::int64_t b,
                                            const std::string& what);

}  // namespace headroom
