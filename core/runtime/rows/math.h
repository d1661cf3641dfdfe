#pragma once

// Elementary functions for row programs: no branch, no table, no library call in the float
// versions, so that loops over them vectorise, and the same arithmetic on host and device. The
// double versions are the standard library's. Both have one name, so that a row program is generic
// in the type it computes in. Polynomials are minimax fits (Remez) of the stated error; the
// accuracies are checked over samples of all floats in tests/core/runtime/rows/math_test.cpp.

#include "core/describe/float_bits.h"
#include "core/describe/hd.h"

#include <cmath>
#include <cstdint>

namespace headroom::runtime::rows {

namespace math_detail {

constexpr float kLog2E = 1.44269504f;
/// ln 2 in two parts; the first has 9 trailing zero bits, so its product with an exponent is exact.
constexpr float kLn2High = 0.693359375f;
constexpr float kLn2Low = -2.12194440e-4f;
/// Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum.
constexpr float kRoundMagic = 12582912.0f;

/// x = k ln 2 + r with |r| <= 0.347; `bits` holds k in its low 9 bits (two's complement).
struct Reduced {
  float r;
  std::uint32_t bits;
};

[[nodiscard]] HEADROOM_HD Reduced reduce_by_ln2(float x) {
  const float shifted = x * kLog2E + kRoundMagic;
  const float k = shifted - kRoundMagic;
  const float r = (x - k * kLn2High) - k * kLn2Low;
  return {r, float_to_bits(shifted)};
}

/// e^r - 1 for |r| <= 0.347, relative error 2^-26 before rounding.
[[nodiscard]] HEADROOM_HD float expm1_reduced(float r) {
  float q = 1.394649502e-03f;
  q = q * r + 8.366608992e-03f;
  q = q * r + 4.166628048e-02f;
  q = q * r + 1.666654348e-01f;
  q = q * r + 5.000000000e-01f;
  return (r * r) * q + r;
}

[[nodiscard]] HEADROOM_HD float copy_sign(float magnitude, float sign) {
  return bits_to_float((float_to_bits(magnitude) & 0x7fffffffu) |
                       (float_to_bits(sign) & 0x80000000u));
}

[[nodiscard]] HEADROOM_HD float magnitude(float x) {
  return bits_to_float(float_to_bits(x) & 0x7fffffffu);
}

}  // namespace math_detail

/// e^x. Error up to 1.1 units in the last place. Results under 1.7e-38 (x < -86.99), exp(-inf)
/// among them, are 0: subnormal numbers would slow a softmax over masked scores many times over.
/// exp(x > 88.722839) is infinity; NaN stays NaN.
[[nodiscard]] HEADROOM_HD float exp(float x) {
  // The comparisons keep NaN. The bounds lie where the scale below becomes 0 and the result inf.
  float clamped = x < -87.5f ? -87.5f : x;
  clamped = clamped > 89.0f ? 89.0f : clamped;
  const auto [r, bits] = math_detail::reduce_by_ln2(clamped);
  // 2^(k-1) instead of 2^k keeps k = 128, the largest one, representable.
  const float half_scale = bits_to_float((bits + 126u) << 23);
  const float e = 1.0f + math_detail::expm1_reduced(r);
  return (e + e) * half_scale;
}
[[nodiscard]] HEADROOM_HD double exp(double x) { return std::exp(x); }

/// Natural logarithm. Error up to 0.9 units in the last place, near 1 and for subnormals too.
/// log(0) = -inf, log(inf) = inf, log(x < 0) and log(NaN) are NaN.
[[nodiscard]] HEADROOM_HD float log(float x) {
  const bool subnormal = x < 1.17549435e-38f;
  const std::uint32_t bits = float_to_bits(subnormal ? x * 8388608.0f : x);
  // Splits x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  const std::int32_t k = static_cast<std::int32_t>(bits - 0x3f3504f3u) >> 23;
  const float f = bits_to_float(bits - (static_cast<std::uint32_t>(k) << 23)) - 1.0f;
  const float exponent = static_cast<float>(k - (subnormal ? 23 : 0));
  float p = 6.915587932e-02f;
  p = p * f + -1.178976744e-01f;
  p = p * f + 1.187284812e-01f;
  p = p * f + -1.238434836e-01f;
  p = p * f + 1.421867758e-01f;
  p = p * f + -1.666925102e-01f;
  p = p * f + 2.000222504e-01f;
  p = p * f + -2.499998659e-01f;
  p = p * f + 3.333331048e-01f;
  const float square = f * f;
  const float tail = (square * f) * p + exponent * math_detail::kLn2Low;
  const float finite = exponent * math_detail::kLn2High + (f + (tail - 0.5f * square));
  const float infinity = bits_to_float(0x7f800000u);
  const float special = x == 0.0f ? -infinity : bits_to_float(0x7fc00000u);
  const float positive = x < infinity ? finite : x;
  return x > 0.0f ? positive : special;
}
[[nodiscard]] HEADROOM_HD double log(double x) { return std::log(x); }

/// Hyperbolic tangent. Error up to 2.6 units in the last place, near 0 too; keeps the sign of zero.
[[nodiscard]] HEADROOM_HD float tanh(float x) {
  // tanh x = (e^2x - 1) / (e^2x + 1), from e^2x - 1 so that nothing cancels near 0.
  float twice = 2.0f * math_detail::magnitude(x);
  twice = twice > 20.0f ? 20.0f : twice;  // tanh(10) rounds to 1; NaN passes
  const auto [r, bits] = math_detail::reduce_by_ln2(twice);
  const float scale = bits_to_float((bits + 127u) << 23);
  const float expm1 = scale * math_detail::expm1_reduced(r) + (scale - 1.0f);
  return math_detail::copy_sign(expm1 / (expm1 + 2.0f), x);
}
[[nodiscard]] HEADROOM_HD double tanh(double x) { return std::tanh(x); }

/// 1 / (1 + e^-x). Error up to 2.5 units in the last place; 0 for x < -88.72, 1 for large x.
[[nodiscard]] HEADROOM_HD float sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }
[[nodiscard]] HEADROOM_HD double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// Error function. Error up to 1.3 units in the last place, near 0 too; keeps the sign of zero.
[[nodiscard]] HEADROOM_HD float erf(float x) {
  const float a = math_detail::magnitude(x);
  // |x| < 1: x + x P(x^2), error 2^-29.6.
  const float t = a * a;
  float p = 7.853860734e-05f;
  p = p * t + -8.010193706e-04f;
  p = p * t + 5.188327748e-03f;
  p = p * t + -2.685381100e-02f;
  p = p * t + 1.128358543e-01f;
  p = p * t + -3.761262596e-01f;
  p = p * t + 1.283791661e-01f;
  const float inner = a * p + a;
  // |x| >= 1: 1 - exp(-x Q(x)), error 2^-28.5; erf(4) rounds to 1.
  const float c = a > 4.0f ? 4.0f : a;
  float q = -2.116075630e-04f;
  q = q * c + 3.195111640e-03f;
  q = q * c + -2.282543294e-02f;
  q = q * c + 1.051596031e-01f;
  q = q * c + 6.357972622e-01f;
  q = q * c + 1.128490567e+00f;
  const float outer = 1.0f - exp(-(c * q));
  return math_detail::copy_sign(a < 1.0f ? inner : outer, x);
}
[[nodiscard]] HEADROOM_HD double erf(double x) { return std::erf(x); }

template <class A>
struct SineCosine {
  A sine, cosine;
};

/// Sine and cosine of an angle in f64, so that large angles (a position times a frequency) keep
/// their turns. In float: error up to 1 unit in the last place of 1 for angles up to 10^7; NaN for
/// angles that are not finite.
template <class A>
[[nodiscard]] HEADROOM_HD SineCosine<A> sine_cosine(double angle);
template <>
[[nodiscard]] HEADROOM_HD SineCosine<float> sine_cosine<float>(double angle) {
  constexpr double kRoundMagic = 6755399441055744.0;  // 1.5 * 2^52
  const double quarters = (angle * 0.63661977236758134 + kRoundMagic) - kRoundMagic;
  const auto r = static_cast<float>((angle - quarters * 1.5707963267948966) -
                                    quarters * 6.123233995736766e-17);
  // The quarter turn, 0 to 3, without an integer that a large angle would overflow.
  const double turns = (quarters * 0.25 + kRoundMagic) - kRoundMagic;
  const auto quarter = static_cast<std::int32_t>(quarters - 4.0 * turns);  // -2 to 2
  // |r| <= pi/4: errors 2^-28 and 2^-33.
  const float square = r * r;
  float p = -1.951713822e-04f;
  p = p * square + 8.332176996e-03f;
  p = p * square + -1.666665493e-01f;
  const float s = r + (r * square) * p;
  float q = 2.443827123e-05f;
  q = q * square + -1.388736600e-03f;
  q = q * square + 4.166664684e-02f;
  const float c = 1.0f + square * (square * q - 0.5f);
  const bool odd = (quarter & 1) != 0;
  const float sine = odd ? c : s;
  const float cosine = odd ? s : c;
  return {(quarter & 2) != 0 ? -sine : sine, ((quarter + 1) & 2) != 0 ? -cosine : cosine};
}
template <>
[[nodiscard]] HEADROOM_HD SineCosine<double> sine_cosine<double>(double angle) {
  return {std::sin(angle), std::cos(angle)};
}

/// Square root, correctly rounded. sqrt(x < 0) is NaN.
[[nodiscard]] HEADROOM_HD float sqrt(float x) { return std::sqrt(x); }
[[nodiscard]] HEADROOM_HD double sqrt(double x) { return std::sqrt(x); }

/// 1 / sqrt(x). Error up to 1.5 units in the last place. rsqrt(0) is infinity.
[[nodiscard]] HEADROOM_HD float rsqrt(float x) { return 1.0f / std::sqrt(x); }
[[nodiscard]] HEADROOM_HD double rsqrt(double x) { return 1.0 / std::sqrt(x); }

}  // namespace headroom::runtime::rows
