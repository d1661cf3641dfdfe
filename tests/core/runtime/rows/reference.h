#pragma once

// What the row programs of programs.h should compute, in plain double loops, and inputs for them.

#include "core/describe/convert.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace headroom::runtime::rows::testing {

inline constexpr std::int64_t kSizes[] = {1, 2, 3, 31, 32, 33, 255, 256, 257, 777, 1000};

/// An array that starts `offset` elements past a 64-byte boundary.
template <class T>
class OffsetArray {
 public:
  OffsetArray(std::int64_t size, int offset)
      : storage_(static_cast<std::size_t>(size) + 64 + static_cast<std::size_t>(offset)),
        size_(size) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    data_ = storage_.data() + (64 - address % 64) % 64 / sizeof(T) + offset;
  }
  OffsetArray(const OffsetArray&) = delete;
  OffsetArray& operator=(const OffsetArray&) = delete;

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  T& operator[](std::int64_t i) { return data_[i]; }

  /// Values in [-scale, scale) with a pattern of their own for each seed.
  void fill(unsigned seed, double scale, double shift = 0) {
    std::uint32_t state = seed * 2654435761u + 12345u;
    for (std::int64_t i = 0; i < size_; ++i) {
      state = state * 1664525u + 1013904223u;
      const double unit = (state >> 8) / 8388608.0 - 1.0;
      data_[i] =
          static_cast<T>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(
              unit * scale + shift));
    }
  }
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> result;
    for (std::int64_t i = 0; i < size_; ++i) result.push_back(to_double(data_[i]));
    return result;
  }

 private:
  static double to_double(const T& v) {
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<double>(v);
    } else {
      return static_cast<double>(static_cast<float>(v));
    }
  }
  std::vector<T> storage_;
  std::int64_t size_;
  T* data_;
};

/// Relative rounding error of one store in T: half of epsilon, plus what computing in float adds.
template <class T>
inline constexpr double kTolerance = std::is_same_v<T, double>  ? 1e-12
                                     : std::is_same_v<T, float> ? 4e-6
                                     : std::is_same_v<T, f16>   ? 0x1p-11 + 4e-6
                                                                : 0x1p-8 + 4e-6;  // bf16: 2^-8 / 2

struct NormReference {
  std::vector<double> y, mean, rstd;
};

inline NormReference layer_norm(const std::vector<double>& x,
                                const std::vector<double>& weight,
                                const std::vector<double>& bias,
                                double epsilon) {
  NormReference result;
  const std::size_t n = weight.size();
  for (std::size_t begin = 0; begin < x.size(); begin += n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[begin + i];
    const double mean = sum / static_cast<double>(n);
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += (x[begin + i] - mean) * (x[begin + i] - mean);
    const double rstd = 1 / std::sqrt(squares / static_cast<double>(n) + epsilon);
    for (std::size_t i = 0; i < n; ++i) {
      result.y.push_back((x[begin + i] - mean) * rstd * weight[i] + bias[i]);
    }
    result.mean.push_back(mean);
    result.rstd.push_back(rstd);
  }
  return result;
}

inline std::vector<double> softmax(const std::vector<double>& x, std::size_t n) {
  std::vector<double> y;
  for (std::size_t begin = 0; begin < x.size(); begin += n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(x[begin + i]);
    for (std::size_t i = 0; i < n; ++i) y.push_back(std::exp(x[begin + i]) / sum);
  }
  return y;
}

inline double gelu(double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); }

}  // namespace headroom::runtime::rows::testing
