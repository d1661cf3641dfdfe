#pragma once

// Row programs that the tests run on every team and compile for the GPU. They are written as the
// engine's own ops are, and small.

#include "core/runtime/rows/math.h"
#include "core/runtime/rows/team.h"

#include <cstdint>

namespace headroom::runtime::rows::testing {

template <class T>
struct LayerNorm {
  const T* x;
  const float* weight;
  const float* bias;
  T* y;
  float* mean_out;
  float* rstd_out;
  std::int64_t columns;
  float epsilon;

  std::int64_t row_elements() const { return columns; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = Accumulate<T>;
    const T* xr = x + row * columns;
    T* yr = y + row * columns;
    const A n = static_cast<A>(columns);
    const A mean = team.sum(
                       columns, [](A v) { return v; }, xr) /
                   n;
    const A variance = team.sum(
                           columns, [=](A v) { return (v - mean) * (v - mean); }, xr) /
                       n;
    const A r = rows::rsqrt(variance + static_cast<A>(epsilon));
    team.map(
        columns, yr, [=](A v, A w, A b) { return (v - mean) * r * w + b; }, xr, weight, bias);
    team.once([&] {
      mean_out[row] = static_cast<float>(mean);
      rstd_out[row] = static_cast<float>(r);
    });
  }
};

template <class T>
struct Softmax {
  T* x;  // in place
  std::int64_t columns;

  std::int64_t row_elements() const { return columns; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = Accumulate<T>;
    T* xr = x + row * columns;
    const A largest = team.max(
        columns, [](A v) { return v; }, xr);
    const A sum = team.map_sum(
        columns, xr, [=](A v) { return rows::exp(v - largest); }, xr);
    const A scale = 1 / sum;
    team.apply(
        columns, [=](A& v) { v *= scale; }, inout(xr));
  }
};

/// Exact GELU over a flat array.
template <class T>
struct Gelu {
  const T* x;
  T* y;
  FlatRows flat;

  std::int64_t row_elements() const { return FlatRows::kRow; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = Accumulate<T>;
    const std::int64_t begin = flat.begin(row);
    team.map(
        flat.size(row), y + begin,
        [](A v) {
          return static_cast<A>(0.5) * v * (1 + rows::erf(v * static_cast<A>(0.70710678118654752)));
        },
        x + begin);
  }
};

/// AdamW's update over a flat array; parameters in T, the rest in float.
template <class T>
struct AdamW {
  T* parameter;
  float* first_moment;
  float* second_moment;
  const float* gradient;
  FlatRows flat;
  float rate, beta1, beta2, epsilon, decay, correction1, correction2;

  std::int64_t row_elements() const { return FlatRows::kRow; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = flat.begin(row);
    const AdamW c = *this;
    team.apply(
        flat.size(row),
        [c](auto& p, auto& m, auto& v, auto g) {
          m = c.beta1 * m + (1 - c.beta1) * g;
          v = c.beta2 * v + (1 - c.beta2) * g * g;
          const auto step = (m * c.correction1) / (rows::sqrt(v * c.correction2) + c.epsilon);
          p -= c.rate * (step + c.decay * p);
        },
        inout(parameter + begin), inout(first_moment + begin), inout(second_moment + begin),
        gradient + begin);
  }
};

/// Cross-entropy with its gradient in place of the logits: index access, a uniform read of an array
/// that the next collective overwrites, and a single write.
struct CrossEntropy {
  float* logits;
  const std::int32_t* target;
  float* loss;
  std::int64_t columns;
  float scale;

  std::int64_t row_elements() const { return columns; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    float* z = logits + row * columns;
    const float largest = team.max(
        columns, [](float v) { return v; }, z);
    const float at_target = z[target[row]];
    const float sum = team.map_sum(
        columns, z, [=](float v) { return rows::exp(v - largest); }, z);
    const float k = scale / sum;
    const std::int32_t label = target[row];
    const float s = scale;
    team.apply(
        columns, [=](float& v, std::int32_t i) { v = v * k - (i == label ? s : 0.0f); }, inout(z),
        position());
    team.once([&] { loss[row] = rows::log(sum) + largest - at_target; });
  }
};

/// Gradients of LayerNorm's weight and bias: two column sums in one pass, first pass only.
struct NormGradients {
  const float* dy;
  const float* x;
  const float* mean;
  const float* rstd;
  float* dweight;
  float* dbias;
  std::int64_t rows;
  std::int64_t columns;

  std::int64_t row_elements() const { return rows * columns; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t /*row*/) const {
    const float* m = mean;
    const float* r = rstd;
    float* dw = dweight;
    float* db = dbias;
    team.sum_rows(
        rows, columns,
        [=](std::int64_t i, Pair<float> sums) {
          dw[i] = sums.first;
          db[i] = sums.second;
        },
        [=](std::int64_t k, float d, float v) {
          return Pair<float>{d * (v - m[k]) * r[k], d};
        },
        strided(dy, columns), strided(x, columns));
  }
};

/// sum2 and every loop over an index.
struct IndexLoops {
  const double* x;
  double* squares;
  double* results;  // per row: sum, sum of squares, sum by index, largest
  std::int64_t columns;

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const double* xr = x + row * columns;
    double* sr = squares + row * columns;
    const Pair<double> both = team.sum2(
        columns,
        [](double v) {
          return Pair<double>{v, v * v};
        },
        xr);
    team.for_each(columns, [=](std::int64_t i) { sr[i] = xr[i] * xr[i]; });
    // Each lane reads what others wrote in the loop above.
    const std::int64_t last = columns - 1;
    const double reversed = team.sum_index(
        columns, [=](std::int64_t i) { return sr[last - i] * static_cast<double>(i + 1); });
    const double largest = team.max_index(columns, [=](std::int64_t i) { return xr[i]; });
    double* to = results + row * 4;
    team.once([=] {
      to[0] = both.first;
      to[1] = both.second;
      to[2] = reversed;
      to[3] = largest;
    });
  }
};

}  // namespace headroom::runtime::rows::testing
