#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace headroom::testing {

/// A narrow float format read straight from its definition, in double arithmetic: the reference
/// that the bit tricks of core/describe/float_bits.h are held against.
struct FloatFormat {
  int exponent_bits, mantissa_bits;
  bool has_infinity;  ///< else only the all-ones magnitude is special, and it is NaN (OCP e4m3)

  [[nodiscard]] std::uint32_t magnitude_mask() const {
    return (1u << (exponent_bits + mantissa_bits)) - 1;
  }
  [[nodiscard]] std::uint32_t sign_bit() const { return magnitude_mask() + 1; }
  [[nodiscard]] std::uint32_t largest_code() const {
    return has_infinity ? (((1u << exponent_bits) - 1) << mantissa_bits) - 1 : magnitude_mask() - 1;
  }

  /// Value of a magnitude as if no code were special.
  [[nodiscard]] double plain_value(std::uint32_t magnitude) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(magnitude >> mantissa_bits);
    const double fraction = magnitude & ((1u << mantissa_bits) - 1);
    const double unit = std::ldexp(1.0, -mantissa_bits);
    return exponent == 0 ? std::ldexp(fraction * unit, 1 - bias)
                         : std::ldexp(1 + fraction * unit, exponent - bias);
  }

  [[nodiscard]] double value(std::uint32_t code) const {
    const std::uint32_t magnitude = code & magnitude_mask();
    double result = plain_value(magnitude);
    if (magnitude == largest_code() + 1 && has_infinity) {
      result = std::numeric_limits<double>::infinity();
    } else if (magnitude > largest_code()) {
      result = std::numeric_limits<double>::quiet_NaN();
    }
    return (code & sign_bit()) != 0 ? -result : result;
  }

  /// Magnitude of the nearest code, ties to the even one; largest_code() + 1 when that would be
  /// past the largest finite value. Searches, so that it shares no idea with the code under test.
  [[nodiscard]] std::uint32_t nearest_magnitude(double absolute) const {
    std::uint32_t low = 0, high = largest_code() + 1;
    if (absolute >= plain_value(high)) return high;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (plain_value(middle) <= absolute ? low : high) = middle;
    }
    const double below = absolute - plain_value(low), above = plain_value(high) - absolute;
    if (below != above) return below < above ? low : high;
    return low % 2 == 0 ? low : high;
  }
};

inline constexpr FloatFormat kBf16Format = {8, 7, true};
inline constexpr FloatFormat kF16Format = {5, 10, true};
inline constexpr FloatFormat kF8e4m3Format = {4, 3, false};
inline constexpr FloatFormat kF8e5m2Format = {5, 2, true};

}  // namespace headroom::testing
