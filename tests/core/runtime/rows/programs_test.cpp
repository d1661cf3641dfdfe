// Each program on the CPU team and on the simulated GPU block, against plain double loops.

#include "tests/core/runtime/rows/programs.h"

#include "core/runtime/rows/host_rows.h"
#include "core/runtime/rows/sim_team.h"
#include "tests/core/runtime/rows/reference.h"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace headroom::runtime::rows::testing {
namespace {

using Teams =
    boost::mpl::list<SerialTeam, SimTeam<256>, SimTeam<256, LaneOrder::kShuffled>, SimTeam<32>>;
constexpr std::int64_t kRows = 3;

/// Teams that are tried with every storage type; the others differ in lanes and order alone.
template <class Team>
constexpr bool kEveryType = std::is_same_v<Team, SerialTeam> || std::is_same_v<Team, SimTeam<256>>;

static_assert(rows::Team<SimTeam<256>>);

/// Calls f(size, offset) for every size and for starts on and off vector boundaries.
template <class F>
void for_sizes_and_offsets(const F& f) {
  for (const std::int64_t size : kSizes) {
    for (const int offset : {0, 1, 4}) f(size, offset);
  }
}

/// Largest |got - want| / (|want| + scale), NaN if any is.
double largest_error(const std::vector<double>& got,
                     const std::vector<double>& want,
                     double scale) {
  BOOST_REQUIRE(got.size() == want.size());
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(got[i] - want[i]) / (std::abs(want[i]) + scale);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

template <class Team, class T>
void check_layer_norm(std::int64_t columns, int offset) {
  OffsetArray<T> x(kRows * columns, offset);
  OffsetArray<T> y(kRows * columns, offset);
  OffsetArray<float> weight(columns, offset);
  OffsetArray<float> bias(columns, 0);
  OffsetArray<float> mean(kRows, 0);
  OffsetArray<float> rstd(kRows, 0);
  x.fill(1, 2.0, 0.5);
  weight.fill(2, 1.0, 1.0);
  bias.fill(3, 0.5);
  // Far larger than usual: with one or two columns the variance is small and rstd would magnify
  // the rounding of the inputs' mean.
  constexpr float kEpsilon = 0.125f;
  run_rows_host<Team>(LayerNorm<T>{x.data(), weight.data(), bias.data(), y.data(), mean.data(),
                                   rstd.data(), columns, kEpsilon},
                      kRows);
  const NormReference want =
      layer_norm(x.values(), weight.values(), bias.values(), double{kEpsilon});
  BOOST_TEST(largest_error(y.values(), want.y, 1) < kTolerance<T>);
  BOOST_TEST(largest_error(mean.values(), want.mean, 1) < kTolerance<float>);
  BOOST_TEST(largest_error(rstd.values(), want.rstd, 0) < kTolerance<float>);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(layer_norm_matches_double_loops, Team, Teams) {
  for_sizes_and_offsets([](std::int64_t size, int offset) {
    BOOST_TEST_CONTEXT("size " << size << " offset " << offset) {
      check_layer_norm<Team, float>(size, offset);
      if constexpr (kEveryType<Team>) {
        check_layer_norm<Team, double>(size, offset);
        check_layer_norm<Team, bf16>(size, offset);
        check_layer_norm<Team, f16>(size, offset);
      }
    }
  });
}

template <class Team, class T>
void check_softmax(std::int64_t columns, int offset) {
  OffsetArray<T> x(kRows * columns, offset);
  x.fill(4, 6.0);
  const std::vector<double> want = softmax(x.values(), static_cast<std::size_t>(columns));
  run_rows_host<Team>(Softmax<T>{x.data(), columns}, kRows);
  // In place, a 16-bit row is rounded twice: after exp and after scaling.
  BOOST_TEST(largest_error(x.values(), want, 1e-6) < 2.1 * kTolerance<T>);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(softmax_matches_double_loops, Team, Teams) {
  for_sizes_and_offsets([](std::int64_t size, int offset) {
    BOOST_TEST_CONTEXT("size " << size << " offset " << offset) {
      check_softmax<Team, float>(size, offset);
      if constexpr (kEveryType<Team>) {
        check_softmax<Team, double>(size, offset);
        check_softmax<Team, bf16>(size, offset);
      }
    }
  });
}

template <class Team, class T>
void check_gelu(std::int64_t size, int offset) {
  OffsetArray<T> x(size, offset);
  OffsetArray<T> y(size, offset == 4 ? 1 : offset);  // 4: x and y aligned differently
  x.fill(5, 4.0);
  run_rows_host<Team>(Gelu<T>{x.data(), y.data(), {size}}, FlatRows{size}.rows());
  std::vector<double> want = x.values();
  std::transform(want.begin(), want.end(), want.begin(), gelu);
  BOOST_TEST(largest_error(y.values(), want, 0.2) < kTolerance<T>);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(gelu_matches_double_loops, Team, Teams) {
  for_sizes_and_offsets([](std::int64_t size, int offset) {
    BOOST_TEST_CONTEXT("size " << size << " offset " << offset) {
      check_gelu<Team, float>(size, offset);
      if constexpr (kEveryType<Team>) {
        check_gelu<Team, double>(size, offset);
        check_gelu<Team, bf16>(size, offset);
        check_gelu<Team, f16>(size, offset);
      }
    }
  });
  check_gelu<Team, float>(FlatRows::kRow - 1, 0);
  check_gelu<Team, float>(2 * FlatRows::kRow + 5, 0);
}

template <class Team>
void check_adamw(std::int64_t size, int offset) {
  OffsetArray<float> p(size, offset);
  OffsetArray<float> m(size, 0);
  OffsetArray<float> v(size, offset);
  OffsetArray<float> g(size, 0);
  p.fill(6, 1.0);
  m.fill(7, 0.1);
  v.fill(8, 0.05, 0.06);
  g.fill(9, 1.0);
  const std::vector<double> p0 = p.values();
  const std::vector<double> m0 = m.values();
  const std::vector<double> v0 = v.values();
  const std::vector<double> g0 = g.values();
  const AdamW<float> program{p.data(), m.data(), v.data(), g.data(), {size}, 0.01f,
                             0.9f,     0.999f,   1e-8f,    0.1f,     1.5f,   2.5f};
  run_rows_host<Team>(program, program.flat.rows());
  std::vector<double> want_p;
  std::vector<double> want_m;
  std::vector<double> want_v;
  for (std::size_t i = 0; i < g0.size(); ++i) {
    want_m.push_back(0.9 * m0[i] + 0.1 * g0[i]);
    want_v.push_back(0.999 * v0[i] + 0.001 * g0[i] * g0[i]);
    const double step = want_m[i] * 1.5 / (std::sqrt(want_v[i] * 2.5) + 1e-8);
    want_p.push_back(p0[i] - 0.01 * (step + 0.1 * p0[i]));
  }
  // 1 - 0.999f differs from 0.001 by 1.3e-5 of it; it is 1e-3 of the result here.
  BOOST_TEST(largest_error(p.values(), want_p, 0.1) < kTolerance<float>);
  BOOST_TEST(largest_error(m.values(), want_m, 0.1) < kTolerance<float>);
  BOOST_TEST(largest_error(v.values(), want_v, 0.1) < kTolerance<float>);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(adamw_matches_double_loops, Team, Teams) {
  for_sizes_and_offsets([](std::int64_t size, int offset) {
    BOOST_TEST_CONTEXT("size " << size << " offset " << offset) { check_adamw<Team>(size, offset); }
  });
}

BOOST_AUTO_TEST_CASE_TEMPLATE(cross_entropy_matches_double_loops, Team, Teams) {
  for_sizes_and_offsets([](std::int64_t columns, int offset) {
    OffsetArray<float> z(kRows * columns, offset);
    OffsetArray<std::int32_t> target(kRows, 0);
    OffsetArray<float> loss(kRows, 0);
    z.fill(10, 5.0);
    target[0] = 0;
    target[1] = static_cast<std::int32_t>(columns / 2);
    target[2] = static_cast<std::int32_t>(columns - 1);
    const std::vector<double> logits = z.values();
    run_rows_host<Team>(CrossEntropy{z.data(), target.data(), loss.data(), columns, 0.25f}, kRows);
    std::vector<double> want = softmax(logits, static_cast<std::size_t>(columns));
    std::vector<double> want_loss;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const auto at = static_cast<std::size_t>(row * columns + target[row]);
      want_loss.push_back(-std::log(want[at]));
      want[at] -= 1;
    }
    for (double& w : want) w *= 0.25;
    BOOST_TEST_CONTEXT("size " << columns << " offset " << offset) {
      BOOST_TEST(largest_error(z.values(), want, 0.01) < kTolerance<float>);
      BOOST_TEST(largest_error(loss.values(), want_loss, 0.5) < kTolerance<float>);
    }
  });
}

BOOST_AUTO_TEST_CASE_TEMPLATE(index_loops_match_double_loops, Team, Teams) {
  for_sizes_and_offsets([](std::int64_t columns, int offset) {
    OffsetArray<double> x(kRows * columns, offset);
    OffsetArray<double> squares(kRows * columns, 0);
    OffsetArray<double> results(kRows * 4, 0);
    x.fill(11, 2.0, -3.0);  // all negative: a maximum that starts from 0 would show
    run_rows_host<Team>(IndexLoops{x.data(), squares.data(), results.data(), columns}, kRows);
    std::vector<double> want;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const double* xr = x.data() + row * columns;
      double sum = 0;
      double sum_squares = 0;
      double reversed = 0;
      for (std::int64_t i = 0; i < columns; ++i) {
        sum += xr[i];
        sum_squares += xr[i] * xr[i];
        reversed += xr[columns - 1 - i] * xr[columns - 1 - i] * static_cast<double>(i + 1);
      }
      want.insert(want.end(), {sum, sum_squares, reversed, *std::max_element(xr, xr + columns)});
    }
    BOOST_TEST_CONTEXT("size " << columns << " offset " << offset) {
      BOOST_TEST(largest_error(results.values(), want, 0) < kTolerance<double>);
    }
  });
}

BOOST_AUTO_TEST_CASE_TEMPLATE(empty_rows_sum_to_nothing, Team, Teams) {
  double results[4] = {1, 1, 1, 1};
  double unused[1] = {0};
  run_rows_host<Team>(IndexLoops{unused, unused, results, 0}, 1);
  BOOST_TEST(results[0] == 0);
  BOOST_TEST(results[2] == 0);
  BOOST_TEST(results[3] == -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace headroom::runtime::rows::testing
