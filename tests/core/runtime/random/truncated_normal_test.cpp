#include "core/runtime/random/truncated_normal.h"

#include "core/describe/error.h"
#include "core/runtime/random/philox.h"
#include "tests/core/runtime/random/distribution.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace headroom::runtime {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

BOOST_AUTO_TEST_SUITE(truncated_normal)

BOOST_AUTO_TEST_CASE(quantiles_match_the_paper) {
  const auto near = boost::test_tools::tolerance(1e-15);
  // The check values of Wichura 1988, section "Test data".
  BOOST_TEST(normal_quantile(0.25) == -0.6744897501960817, near);
  BOOST_TEST(normal_quantile(0.001) == -3.090232306167814, near);
  BOOST_TEST(normal_quantile(1e-20) == -9.262340089798408, near);
  BOOST_TEST(normal_quantile(0.5) == 0);
  BOOST_TEST(normal_quantile(0) == -kInf);
  BOOST_TEST(normal_quantile(1) == kInf);
}

BOOST_AUTO_TEST_CASE(the_quantile_inverts_the_distribution_function) {
  for (double z = -37; z < 5; z += 0.0625) {
    // Near 1 the distribution function itself has few digits left: z may move by what one of them
    // is worth, 1.1e-16 over the density.
    const double p = testing::phi(z);
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0));
    const double blur = z > 0 ? 2.2e-16 / density : 0;
    BOOST_TEST(std::abs(normal_quantile(p) - z) < 2e-14 * (1 + std::abs(z)) + blur);
  }
}

BOOST_AUTO_TEST_CASE(values_follow_the_conditional_distribution) {
  struct Cuts {
    double lower, upper;
  };
  const RandomStream stream(11, stream_id("truncated"));
  for (const Cuts cuts : {Cuts{-3, 3}, Cuts{-1, 0.5}, Cuts{0.5, 2}, Cuts{5, 6}, Cuts{-9, -8},
                          Cuts{8, 9}, Cuts{-kInf, 0}, Cuts{2, kInf}, Cuts{-kInf, kInf}}) {
    BOOST_TEST_CONTEXT("cuts " << cuts.lower << ' ' << cuts.upper) {
      const TruncatedNormal draw(cuts.lower, cuts.upper);
      std::vector<double> values;
      for (std::size_t i = 0; i < 200000; ++i) values.push_back(draw(stream.bits(i)));
      for (const double z : values) {
        BOOST_REQUIRE(z >= cuts.lower);
        BOOST_REQUIRE(z <= cuts.upper);
      }
      // In the right tail the probabilities are those of the mirrored left one.
      const double sign = cuts.lower > 0 ? -1 : 1;
      const double a = testing::phi(sign * cuts.lower), b = testing::phi(sign * cuts.upper);
      const auto cdf = [&](double z) { return (testing::phi(sign * z) - a) / (b - a); };
      BOOST_TEST(testing::kolmogorov_smirnov(values, cdf) < testing::kKolmogorovLimit);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_extreme_words_stay_inside_the_cuts) {
  const TruncatedNormal draw(-3, 3);
  BOOST_TEST(draw(0) >= -3);
  BOOST_TEST(draw(0) < -2.99999);
  BOOST_TEST(draw(0xffffffffu) <= 3);
  BOOST_TEST(draw(0xffffffffu) > 2.99999);
  // So far out that no probability is left, the cut itself is the nearest answer.
  BOOST_TEST(TruncatedNormal(-50, -45)(123) == -50);
}

BOOST_AUTO_TEST_CASE(cuts_that_enclose_nothing_are_refused) {
  BOOST_CHECK_THROW(TruncatedNormal(1, 1), Error);
  BOOST_CHECK_THROW(TruncatedNormal(2, 1), Error);
  BOOST_CHECK_THROW(TruncatedNormal(0, std::nan("")), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::runtime
