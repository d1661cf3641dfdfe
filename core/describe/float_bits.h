#pragma once

// Conversions between float and the bits of narrower formats: no table and no branch, so that loops
// over them vectorise, and the same results on host and device. The types that store such bits are
// in core/describe/convert.h.

#include "core/describe/dtype.h"
#include "core/describe/hd.h"

#include <cstdint>

namespace headroom {

/// What a value too large for an 8-bit float becomes, after rounding. NaN stays NaN either way.
enum class Overflow : std::uint8_t {
  kSaturate,  ///< the largest finite value of that sign, infinity too; what training uses
  kSpecial,   ///< e5m2: infinity. e4m3: NaN, since it has no infinity
};

[[nodiscard]] HEADROOM_HD std::uint32_t float_to_bits(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
[[nodiscard]] HEADROOM_HD float bits_to_float(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

namespace float_bits_detail {

constexpr std::uint32_t kSignBit = 0x80000000u;
constexpr std::uint32_t kInfinity = 0x7f800000u;

/// Layout of a float narrower than f32. Plain constants only: device code may use them.
template <int ExponentBits, int MantissaBits>
struct Layout {
  static constexpr int kShift = 23 - MantissaBits;
  static constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  static constexpr std::uint32_t kMagnitudeMask = (1u << (ExponentBits + MantissaBits)) - 1;
  /// Difference of the two exponent biases, in the exponent field of f32.
  static constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - kBias) << 23;
  /// f32 bits of the smallest normal number.
  static constexpr std::uint32_t kSmallestNormal = kRebias + (1u << 23);
  /// f32 bits of the power of two whose last place equals the smallest subnormal number.
  static constexpr std::uint32_t kSubnormalGrid =
      static_cast<std::uint32_t>(127 + 24 - kBias - MantissaBits) << 23;
  /// Code of infinity in formats that have one; codes above it are NaN.
  static constexpr std::uint32_t kInfinityCode = ((1u << ExponentBits) - 1) << MantissaBits;
};

/// Rounds the f32 magnitude `a` (no sign, not NaN) to the code of the narrower format, as if the
/// exponent range had no upper end: the caller treats codes past the largest finite one.
/// Both paths are computed and one selected, so that loops over it vectorise.
template <class L>
[[nodiscard]] HEADROOM_HD std::uint32_t round_magnitude(std::uint32_t a) {
  // Adding half a unit, less one bit where the kept part is even, rounds ties to even; a carry out
  // of the mantissa moves into the exponent, which is the next larger number.
  const std::uint32_t odd = (a >> L::kShift) & 1u;
  const std::uint32_t normal = (a - L::kRebias + ((1u << (L::kShift - 1)) - 1u) + odd) >> L::kShift;
  // The addition rounds to the subnormal grid, to nearest even like any f32 addition.
  const std::uint32_t subnormal =
      float_to_bits(bits_to_float(a) + bits_to_float(L::kSubnormalGrid)) - L::kSubnormalGrid;
  return a < L::kSmallestNormal ? subnormal : normal;
}

/// f32 bits of a code without its sign, read as a finite number.
template <class L>
[[nodiscard]] HEADROOM_HD std::uint32_t widen_magnitude(std::uint32_t code) {
  const std::uint32_t shifted = code << L::kShift;
  // A subnormal code has no hidden one: put it there, then subtract it. The difference is exact.
  const std::uint32_t subnormal = float_to_bits(bits_to_float(L::kSmallestNormal + shifted) -
                                                bits_to_float(L::kSmallestNormal));
  return shifted < (1u << 23) ? subnormal : shifted + L::kRebias;
}

using F16 = Layout<5, 10>;
using F8e4m3 = Layout<4, 3>;
using F8e5m2 = Layout<5, 2>;

/// A NaN code: infinity's code plus the upper payload bits, or the quiet bit if those are all 0.
template <class L>
[[nodiscard]] HEADROOM_HD std::uint32_t nan_code(std::uint32_t a) {
  const std::uint32_t payload = (a & 0x007fffffu) >> L::kShift;
  return L::kInfinityCode | (payload != 0 ? payload : 0x00400000u >> L::kShift);
}

}  // namespace float_bits_detail

/// Bits of the bf16 number nearest to `value`, ties to even; too large becomes infinity. NaN keeps
/// its sign and upper payload on the host; the device's instruction gives 0x7fff for every NaN.
[[nodiscard]] HEADROOM_HD std::uint16_t float_to_bf16_bits(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const std::uint32_t u = float_to_bits(value);
  const std::uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  const std::uint32_t upper = u >> 16;
  const std::uint32_t nan = (upper & 0x7fu) != 0 ? upper : upper | 0x40u;
  const bool is_nan = (u & ~float_bits_detail::kSignBit) > float_bits_detail::kInfinity;
  return static_cast<std::uint16_t>(is_nan ? nan : rounded);
#endif
}
[[nodiscard]] HEADROOM_HD float bf16_bits_to_float(std::uint16_t bits) {
  return bits_to_float(static_cast<std::uint32_t>(bits) << 16);
}

/// Rounds to one of the two bf16 neighbours of `value` with a chance proportional to nearness, so
/// that the expected result is `value` itself. `random` is uniform in [0, 65536); only its low 16
/// bits are used. A value bf16 holds exactly is kept; past the largest finite value the upper
/// neighbour is infinity; NaN stays NaN.
[[nodiscard]] HEADROOM_HD std::uint16_t float_to_bf16_bits_stochastic(float value,
                                                                      std::uint32_t random) {
  const std::uint32_t u = float_to_bits(value);
  const std::uint32_t upper = u >> 16;
  const std::uint32_t rounded = (u + (random & 0xffffu)) >> 16;
  const std::uint32_t nan = (upper & 0x7fu) != 0 ? upper : upper | 0x40u;
  const bool is_nan = (u & ~float_bits_detail::kSignBit) > float_bits_detail::kInfinity;
  return static_cast<std::uint16_t>(is_nan ? nan : rounded);
}

/// Bits of the f16 number nearest to `value`, ties to even; 65520 and above becomes infinity. NaN
/// as in float_to_bf16_bits.
[[nodiscard]] HEADROOM_HD std::uint16_t float_to_f16_bits(float value) {
#if defined(__CUDA_ARCH__)
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  using L = float_bits_detail::F16;
  const std::uint32_t u = float_to_bits(value);
  const std::uint32_t a = u & ~float_bits_detail::kSignBit;
  std::uint32_t code = float_bits_detail::round_magnitude<L>(a);
  code = code > L::kInfinityCode ? L::kInfinityCode : code;
  code = a > float_bits_detail::kInfinity ? float_bits_detail::nan_code<L>(a) : code;
  return static_cast<std::uint16_t>(((u >> 31) << 15) | code);
#endif
}
[[nodiscard]] HEADROOM_HD float f16_bits_to_float(std::uint16_t bits) {
  using L = float_bits_detail::F16;
  const std::uint32_t code = bits & L::kMagnitudeMask;
  const std::uint32_t finite = float_bits_detail::widen_magnitude<L>(code);
  const std::uint32_t special = float_bits_detail::kInfinity | (code << L::kShift);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  return bits_to_float(sign | (code >= L::kInfinityCode ? special : finite));
}

/// Bits of the OCP e4m3 ("fn") number nearest to `value`, ties to even. The largest finite value is
/// 448; up to 464 rounds down to it, and beyond that `overflow` decides. Every NaN becomes 0x7f or
/// 0xff, the only two the format has.
/// Source: OCP 8-bit Floating Point Specification (OFP8) 1.0, section 5.2.
[[nodiscard]] HEADROOM_HD std::uint8_t float_to_f8e4m3_bits(
    float value, Overflow overflow = Overflow::kSaturate) {
  using L = float_bits_detail::F8e4m3;
  constexpr std::uint32_t kNan = 0x7f;
  constexpr std::uint32_t kLargest = 0x7e;
  const std::uint32_t u = float_to_bits(value);
  const std::uint32_t a = u & ~float_bits_detail::kSignBit;
  const std::uint32_t code = float_bits_detail::round_magnitude<L>(a);
  const std::uint32_t beyond = overflow == Overflow::kSaturate ? kLargest : kNan;
  const std::uint32_t numeric = code > kLargest ? beyond : code;
  const std::uint32_t magnitude = a > float_bits_detail::kInfinity ? kNan : numeric;
  return static_cast<std::uint8_t>(((u >> 31) << 7) | magnitude);
}
[[nodiscard]] HEADROOM_HD float f8e4m3_bits_to_float(std::uint8_t bits) {
  const std::uint32_t code = bits & 0x7fu;
  const std::uint32_t finite = float_bits_detail::widen_magnitude<float_bits_detail::F8e4m3>(code);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80u) << 24;
  return bits_to_float(sign | (code == 0x7fu ? 0x7fc00000u : finite));
}

/// Bits of the OCP e5m2 number nearest to `value`, ties to even. The largest finite value is 57344;
/// below 61440 rounds down to it, and from there on `overflow` decides. NaN keeps its sign and
/// upper payload.
/// Source: OCP 8-bit Floating Point Specification (OFP8) 1.0, section 5.2.
[[nodiscard]] HEADROOM_HD std::uint8_t float_to_f8e5m2_bits(
    float value, Overflow overflow = Overflow::kSaturate) {
  using L = float_bits_detail::F8e5m2;
  const std::uint32_t u = float_to_bits(value);
  const std::uint32_t a = u & ~float_bits_detail::kSignBit;
  const std::uint32_t code = float_bits_detail::round_magnitude<L>(a);
  const std::uint32_t beyond =
      overflow == Overflow::kSaturate ? L::kInfinityCode - 1 : L::kInfinityCode;
  const std::uint32_t numeric = code >= L::kInfinityCode ? beyond : code;
  const std::uint32_t magnitude =
      a > float_bits_detail::kInfinity ? float_bits_detail::nan_code<L>(a) : numeric;
  return static_cast<std::uint8_t>(((u >> 31) << 7) | magnitude);
}
[[nodiscard]] HEADROOM_HD float f8e5m2_bits_to_float(std::uint8_t bits) {
  using L = float_bits_detail::F8e5m2;
  const std::uint32_t code = bits & L::kMagnitudeMask;
  const std::uint32_t finite = float_bits_detail::widen_magnitude<L>(code);
  const std::uint32_t special = float_bits_detail::kInfinity | (code << L::kShift);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80u) << 24;
  return bits_to_float(sign | (code >= L::kInfinityCode ? special : finite));
}

/// `value` with 10 mantissa bits left, ties to even; NaN stays NaN, too large becomes infinity.
/// Matrix units do this to the factors of a tf32 product (some truncate instead of rounding).
[[nodiscard]] HEADROOM_HD float round_to_tf32(float value) {
  const std::uint32_t u = float_to_bits(value);
  const std::uint32_t rounded = (u + 0x0fffu + ((u >> 13) & 1u)) & 0xffffe000u;
  const bool is_nan = (u & ~float_bits_detail::kSignBit) > float_bits_detail::kInfinity;
  return bits_to_float(is_nan ? u | 0x00400000u : rounded);
}

}  // namespace headroom
