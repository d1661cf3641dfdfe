#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace headroom::testing {

/// Standard normal distribution function, from the C library.
inline double phi(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

struct Moments {
  double mean, variance;
};
template <class Values>
Moments moments(const Values& values) {
  double sum = 0, squares = 0;
  for (const auto value : values) sum += static_cast<double>(value);
  const double count = static_cast<double>(values.size());
  const double mean = sum / count;
  for (const auto value : values) {
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  }
  return {mean, squares / count};
}

/// Kolmogorov-Smirnov statistic times the root of the sample size: the largest distance between the
/// sample's distribution function and `cdf`.
template <class Values, class Cdf>
double kolmogorov_smirnov(const Values& values, const Cdf& cdf) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double count = static_cast<double>(sorted.size());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double expected = cdf(sorted[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / count,
                         static_cast<double>(i + 1) / count - expected});
  }
  return distance * std::sqrt(count);
}

/// A sample of the right distribution exceeds this with probability 1e-6, by the leading term
/// 2 exp(-2 x^2) of Kolmogorov's series.
inline const double kKolmogorovLimit = std::sqrt(-std::log(1e-6 / 2) / 2);

/// How many standard deviations an estimate may be off; beyond 5 lies 6e-7 of a normal.
inline constexpr double kSigmas = 5;

}  // namespace headroom::testing
