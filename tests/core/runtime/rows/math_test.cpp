#include "core/runtime/rows/math.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace headroom::runtime::rows {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

/// Distance between floats near `value`.
double unit_in_last_place(double value) {
  int exponent = 0;
  std::frexp(std::max(std::abs(value), double{std::numeric_limits<float>::min()}), &exponent);
  return std::ldexp(1.0, exponent - 24);
}

/// Calls `check(x)` for about a million floats spread evenly over all bit patterns.
template <class F>
void for_sampled_floats(const F& check) {
  constexpr std::uint64_t kStep = 4099;  // prime: the low bits vary too
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += kStep) {
    check(bits_to_float(static_cast<std::uint32_t>(bits)));
  }
}

/// Compares with the double function over the sample. Results that are smaller than `flush` in
/// double may be 0.
template <class F, class G>
void check_accuracy(const F& f, const G& exact, double allowed_ulp, double flush = 0) {
  double worst = 0;
  float worst_at = 0;
  int wrong_kind = 0;
  for_sampled_floats([&](float x) {
    const float y = f(x);
    const double want = exact(static_cast<double>(x));
    if (std::isnan(want) || std::isinf(static_cast<float>(want))) {
      const bool same = std::isnan(want) ? std::isnan(y) : y == static_cast<float>(want);
      wrong_kind += same ? 0 : 1;
    } else if (!(std::abs(want) < flush && y == 0)) {
      const double error = std::abs(y - want) / unit_in_last_place(want);
      if (!(error <= worst)) {
        worst = error;
        worst_at = x;
      }
    }
  });
  BOOST_TEST(wrong_kind == 0);
  BOOST_TEST(worst <= allowed_ulp, "error " << worst << " ulp at " << worst_at);
}

// Bounds: what math.h states, in units in the last place. 1 ulp is at most 2^-23 relative.
BOOST_AUTO_TEST_CASE(float_functions_are_as_accurate_as_stated) {
  check_accuracy([](float x) { return exp(x); }, [](double x) { return std::exp(x); }, 1.1,
                 1.7e-38);
  check_accuracy([](float x) { return log(x); }, [](double x) { return std::log(x); }, 0.9);
  check_accuracy([](float x) { return tanh(x); }, [](double x) { return std::tanh(x); }, 2.6);
  check_accuracy([](float x) { return sigmoid(x); },
                 [](double x) { return 1 / (1 + std::exp(-x)); }, 2.6, 1.7e-38);
  check_accuracy([](float x) { return erf(x); }, [](double x) { return std::erf(x); }, 1.3);
  check_accuracy([](float x) { return rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); }, 1.5);
}

// Absolute errors: a sine is as large as the rounding of what it stands in for makes it.
BOOST_AUTO_TEST_CASE(sines_and_cosines_keep_the_turns_of_large_angles) {
  double worst = 0;
  const auto check = [&](double angle) {
    const SineCosine<float> got = sine_cosine<float>(angle);
    worst = std::max(
        {worst, std::abs(got.sine - std::sin(angle)), std::abs(got.cosine - std::cos(angle))});
    const SineCosine<double> exact = sine_cosine<double>(angle);
    BOOST_REQUIRE(exact.sine == std::sin(angle) && exact.cosine == std::cos(angle));
  };
  for (int i = 0; i < 200000; ++i) {
    const double small = i * 1.23456789e-4;
    check(small);
    check(-small);
    check(i * 0.78539816339744830962);  // where quarters change
    check(131071.0 - i * 0.61803398875);
    check(1e7 - i * 1.37);
  }
  BOOST_TEST(worst <= 1e-7, "error " << worst);
  BOOST_TEST(sine_cosine<float>(0.0).sine == 0.0f);
  BOOST_TEST(sine_cosine<float>(0.0).cosine == 1.0f);
  BOOST_TEST(std::isnan(sine_cosine<float>(std::numeric_limits<double>::infinity()).sine));
}

BOOST_AUTO_TEST_CASE(limits_are_exact) {
  BOOST_TEST(exp(-kInf) == 0.0f);
  BOOST_TEST(exp(-1e30f) == 0.0f);
  BOOST_TEST(exp(kInf) == kInf);
  BOOST_TEST(exp(0.0f) == 1.0f);
  BOOST_TEST(std::isfinite(exp(88.72283f)));
  BOOST_TEST(exp(88.72284f) == kInf);
  BOOST_TEST(log(0.0f) == -kInf);
  BOOST_TEST(log(1.0f) == 0.0f);
  BOOST_TEST(log(kInf) == kInf);
  BOOST_TEST(std::isnan(log(-1.0f)));
  BOOST_TEST(tanh(kInf) == 1.0f);
  BOOST_TEST(tanh(-kInf) == -1.0f);
  BOOST_TEST(tanh(20.0f) == 1.0f);
  BOOST_TEST(erf(kInf) == 1.0f);
  BOOST_TEST(erf(-5.0f) == -1.0f);
  BOOST_TEST(sigmoid(-kInf) == 0.0f);
  BOOST_TEST(sigmoid(kInf) == 1.0f);
  BOOST_TEST(sigmoid(0.0f) == 0.5f);
  BOOST_TEST(rsqrt(0.0f) == kInf);
  BOOST_TEST(rsqrt(4.0f) == 0.5f);
  for (const float zero : {0.0f, -0.0f}) {
    BOOST_TEST(std::signbit(tanh(zero)) == std::signbit(zero));
    BOOST_TEST(std::signbit(erf(zero)) == std::signbit(zero));
  }
}

BOOST_AUTO_TEST_CASE(nan_stays_nan) {
  for (const float x : {kNan, -kNan, bits_to_float(0x7f800001u)}) {
    BOOST_TEST(std::isnan(exp(x)));
    BOOST_TEST(std::isnan(log(x)));
    BOOST_TEST(std::isnan(tanh(x)));
    BOOST_TEST(std::isnan(sigmoid(x)));
    BOOST_TEST(std::isnan(erf(x)));
    BOOST_TEST(std::isnan(sqrt(x)));
    BOOST_TEST(std::isnan(rsqrt(x)));
  }
}

// Relative error, not only absolute: tanh x = x - x^3/3 and erf x = 2x/sqrt(pi) for tiny x.
BOOST_AUTO_TEST_CASE(small_arguments_keep_their_relative_accuracy) {
  for (const float x : {1e-30f, 1e-20f, -1e-10f, 3e-5f}) {
    const double d = x;
    BOOST_TEST(std::abs(tanh(x) / (d - d * d * d / 3) - 1) < 3e-7);
    BOOST_TEST(std::abs(erf(x) / (d * 1.1283791670955126) - 1) < 2e-7);
  }
}

BOOST_AUTO_TEST_CASE(double_functions_are_the_standard_library) {
  for (const double x : {0.1, 1.0, 2.5, 30.0}) {
    BOOST_TEST(exp(x) == std::exp(x));
    BOOST_TEST(log(x) == std::log(x));
    BOOST_TEST(tanh(x) == std::tanh(x));
    BOOST_TEST(erf(x) == std::erf(x));
    BOOST_TEST(sqrt(x) == std::sqrt(x));
    BOOST_TEST(rsqrt(x) == 1 / std::sqrt(x));
    BOOST_TEST(sigmoid(x) == 1 / (1 + std::exp(-x)));
  }
}

}  // namespace
}  // namespace headroom::runtime::rows
