#include "cli/progress.h"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>

namespace headroom::cli {
namespace {

BOOST_AUTO_TEST_CASE(the_rate_counts_the_time_between_steps) {
  WallRate rate;
  BOOST_TEST(!rate.steps_per_second().has_value());
  // A slow first step is warm-up; from step 2 on 8 steps take 4 seconds, whatever a step took.
  rate.add(1, 1, 10);
  rate.add(1, 2, 11);
  BOOST_TEST(!rate.steps_per_second().has_value());
  rate.add(1, 4, 12);
  BOOST_TEST(rate.steps_per_second().value() == 2.0);
  rate.add(1, 10, 15);
  BOOST_TEST(rate.steps_per_second().value() == 2.0);
}

BOOST_AUTO_TEST_CASE(a_resumed_session_counts_its_own_steps) {
  WallRate rate;
  rate.add(101, 110, 1);
  rate.add(101, 120, 3);
  BOOST_TEST(rate.steps_per_second().value() == 5.0);
}

BOOST_AUTO_TEST_CASE(the_line_shows_wall_time_and_no_sign_of_a_nan) {
  Progress progress;
  progress.start({.items_per_step = 4, .item = "sample", .first_step = 1, .total_steps = 2});
  const std::string line =
      progress.line({.step = 1, .loss = -std::numeric_limits<double>::quiet_NaN()});
  BOOST_TEST((line.find("loss nan") != std::string::npos), line);
}

}  // namespace
}  // namespace headroom::cli
