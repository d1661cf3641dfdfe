#include "core/runtime/rows/column_sum.h"

#include "core/runtime/rows/host_rows.h"
#include "core/runtime/rows/sim_team.h"
#include "core/runtime/rows/team.h"
#include "tests/core/runtime/rows/programs.h"
#include "tests/core/runtime/rows/reference.h"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <omp.h>

#include <cmath>
#include <vector>

namespace headroom::runtime::rows::testing {
namespace {

using Teams = boost::mpl::list<SerialTeam, SimTeam<256>, SimTeam<32, LaneOrder::kShuffled>>;

template <class Team>
struct RunOn {
  template <class Program>
  void operator()(const Program& program, std::int64_t rows) const {
    run_rows_host<Team>(program, rows);
  }
};

/// Sums of the columns of `x` in double.
std::vector<double> column_sums(const std::vector<double>& x,
                                std::int64_t rows,
                                std::int64_t columns,
                                std::int64_t stride) {
  std::vector<double> sums(static_cast<std::size_t>(columns), 0);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      sums[static_cast<std::size_t>(c)] += x[static_cast<std::size_t>(r * stride + c)];
    }
  }
  return sums;
}

/// Sums of values in [-1, 1) against double sums; `padding` elements lie between rows.
template <class Team, class T>
void check_column_sum(std::int64_t rows, std::int64_t columns, std::int64_t padding) {
  const ColumnCut cut{rows, columns};
  const std::int64_t stride = columns + padding;
  OffsetArray<T> x(rows * stride, 0);
  OffsetArray<Accumulate<T>> buffer(cut.buffer_elements(), 0);
  OffsetArray<float> out(columns, 0);
  x.fill(1, 1.0);
  buffer.fill(2, 1e9);  // what was there before must not matter
  out.fill(3, 1e9);
  const std::vector<double> want = column_sums(x.values(), rows, columns, stride);
  const double tolerance = 1e-6 * (1 + std::sqrt(static_cast<double>(rows)));
  for (const bool accumulate : {false, true}) {
    column_sum(RunOn<Team>{}, cut, x.data(), stride, buffer.data(), out.data(), accumulate);
    const double times = accumulate ? 2 : 1;
    for (std::int64_t c = 0; c < columns; ++c) {
      BOOST_REQUIRE_SMALL(static_cast<double>(out[c]) - times * want[static_cast<std::size_t>(c)],
                          times * tolerance);
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(column_sums_match_double_loops, Team, Teams) {
  for (const std::int64_t rows : {1, 15, 16, 17, 200}) {
    for (const std::int64_t columns : {1, 3, 32, 100, 255, 256, 257, 600}) {
      BOOST_TEST_CONTEXT("rows " << rows << " columns " << columns) {
        check_column_sum<Team, float>(rows, columns, 0);
        check_column_sum<Team, bf16>(rows, columns, 3);
      }
    }
  }
  check_column_sum<Team, double>(100, 40, 0);
  check_column_sum<Team, float>(0, 10, 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(two_sums_in_one_pass_match_double_loops, Team, Teams) {
  constexpr std::int64_t kRows = 50;
  for (const std::int64_t columns : {1, 30, 64, 257, 2100}) {
    OffsetArray<float> dy(kRows * columns, 0);
    OffsetArray<float> x(kRows * columns, 0);
    OffsetArray<float> mean(kRows, 0);
    OffsetArray<float> rstd(kRows, 0);
    OffsetArray<float> dweight(columns, 0);
    OffsetArray<float> dbias(columns, 0);
    dy.fill(1, 1.0);
    x.fill(2, 1.0);
    mean.fill(3, 0.5);
    rstd.fill(4, 0.5, 1.0);
    run_rows_host<Team>(NormGradients{dy.data(), x.data(), mean.data(), rstd.data(), dweight.data(),
                                      dbias.data(), kRows, columns},
                        1);
    for (std::int64_t c = 0; c < columns; ++c) {
      double want_weight = 0;
      double want_bias = 0;
      for (std::int64_t r = 0; r < kRows; ++r) {
        const double d = dy[r * columns + c];
        want_weight += d * (double{x[r * columns + c]} - double{mean[r]}) * double{rstd[r]};
        want_bias += d;
      }
      BOOST_REQUIRE_SMALL(double{dweight[c]} - want_weight, 1e-5);
      BOOST_REQUIRE_SMALL(double{dbias[c]} - want_bias, 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_long_vector_is_summed_and_scaled, Team, Teams) {
  OffsetArray<float> x(1001, 1);
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  float out = 5;
  run_rows_host<Team>(VectorSum<float, float>{x.data(), x.size(), 0.5f, &out, false}, 1);
  BOOST_TEST(out == 250250.0f);  // 0.5 * 1000 * 1001 / 2
  run_rows_host<Team>(VectorSum<float, float>{x.data(), x.size(), 0.5f, &out, true}, 1);
  BOOST_TEST(out == 500500.0f);
}

BOOST_AUTO_TEST_CASE(column_sums_do_not_depend_on_the_thread_count) {
  constexpr std::int64_t kRows = 3000;
  constexpr std::int64_t kColumns = 300;
  OffsetArray<float> x(kRows * kColumns, 0);
  x.fill(1, 1.0);
  const ColumnCut cut{kRows, kColumns};
  const int threads_before = omp_get_max_threads();
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 2, 3, 5}) {
    omp_set_num_threads(threads);
    OffsetArray<float> buffer(cut.buffer_elements(), 0);
    OffsetArray<float> out(kColumns, 0);
    column_sum(RunOn<SerialTeam>{}, cut, x.data(), kColumns, buffer.data(), out.data(), false);
    results.push_back(out.values());
  }
  omp_set_num_threads(threads_before);
  for (const auto& result : results) BOOST_TEST((result == results[0]));
}

BOOST_AUTO_TEST_CASE(shares_cover_the_matrix_once) {
  for (const std::int64_t rows : {1, 5, 16, 33, 1000}) {
    for (const std::int64_t columns : {1, 256, 257, 1000}) {
      const ColumnCut cut{rows, columns};
      std::int64_t elements = 0;
      for (std::int64_t r = 0; r < cut.shares(); ++r) {
        const ColumnCut::Share share = cut.share(r);
        BOOST_TEST(share.columns > 0);
        BOOST_TEST(share.first_row + share.rows <= rows);
        BOOST_TEST(share.first_column + share.columns <= columns);
        elements += share.rows * share.columns;
      }
      BOOST_TEST(elements == rows * columns);
    }
  }
}

}  // namespace
}  // namespace headroom::runtime::rows::testing
