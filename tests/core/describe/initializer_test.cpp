#include "core/describe/initializer.h"

#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

namespace headroom {
namespace {

using Kind = Initializer::Kind;

void expect(const Initializer& got, Kind kind, double scale) {
  BOOST_TEST((got.kind == kind));
  BOOST_TEST(got.scale == scale, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_SUITE(initializer)

BOOST_AUTO_TEST_CASE(a_tensor_starts_at_zero_unless_told_otherwise) {
  BOOST_TEST((Initializer{} == Initializer::zeros()));
  expect(Initializer::zeros(), Kind::kConstant, 0);
  expect(Initializer::ones(), Kind::kConstant, 1);
}

// Numbers below: the papers' formulas at sizes whose roots are whole.
BOOST_AUTO_TEST_CASE(schemes_resolve_to_the_published_numbers) {
  expect(Initializer::fan_in_normal(16384), Kind::kNormal, 1.0 / 128);
  expect(Initializer::fan_in_uniform(16384), Kind::kUniform, 1.0 / 128);
  expect(Initializer::xavier_normal(100, 28), Kind::kNormal, 1.0 / 8);    // sqrt(2 / 128)
  expect(Initializer::xavier_uniform(100, 50), Kind::kUniform, 1.0 / 5);  // sqrt(6 / 150)
  expect(Initializer::xavier_normal(100, 28, 3), Kind::kNormal, 3.0 / 8);
  expect(Initializer::kaiming_normal(50), Kind::kNormal, 1.0 / 5);     // sqrt(2 / 50)
  expect(Initializer::kaiming_uniform(150), Kind::kUniform, 1.0 / 5);  // sqrt(6 / 150)
  expect(Initializer::kaiming_normal(64, Initializer::kLinearGain), Kind::kNormal, 1.0 / 8);
  expect(Initializer::kaiming_uniform(75, Initializer::kLinearGain), Kind::kUniform, 1.0 / 5);
}

BOOST_AUTO_TEST_CASE(cuts_are_kept_in_sigmas) {
  const Initializer ours = Initializer::truncated_normal(0.02);
  expect(ours, Kind::kTruncatedNormal, 0.02);
  BOOST_TEST(ours.lower == -3);
  BOOST_TEST(ours.upper == 3);
  // The notes' call for a layer with 1024 inputs: sigma 1/32, cut at -3 and 3, which is 96 sigmas.
  const Initializer notes = Initializer::truncated_normal_between(1 / std::sqrt(1024.0), -3, 3);
  BOOST_TEST(notes.lower == -96);
  BOOST_TEST(notes.upper == 96);
}

BOOST_AUTO_TEST_CASE(sizes_that_make_no_distribution_are_refused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  BOOST_CHECK_THROW((void)Initializer::fan_in_normal(0), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::fan_in_uniform(-4), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::xavier_normal(0, 4), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::xavier_uniform(4, 0), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::kaiming_normal(0), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::kaiming_uniform(0), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::truncated_normal(0), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::truncated_normal(kNan), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::truncated_normal(1, 0), ShapeError);
  BOOST_CHECK_THROW((void)Initializer::truncated_normal_between(1, 2, 2), ShapeError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
