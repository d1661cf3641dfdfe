#include "trainer/schedule.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom::trainer {
namespace {

TrainingPlan plan(LrSchedule schedule, std::int64_t warmup, double floor) {
  TrainingPlan plan;
  plan.optimizer.lr = 0.4;
  plan.lr_schedule = {.name = schedule, .warmup_steps = warmup, .min_lr = floor};
  return plan;
}

constexpr double kTight = 1e-12;

BOOST_AUTO_TEST_CASE(warm_up_rises_in_equal_steps) {
  const TrainingPlan p = plan(LrSchedule::kConstant, 4, 0);
  BOOST_TEST(learning_rate(p, 1, 100) == 0.1, boost::test_tools::tolerance(kTight));
  BOOST_TEST(learning_rate(p, 2, 100) == 0.2, boost::test_tools::tolerance(kTight));
  BOOST_TEST(learning_rate(p, 4, 100) == 0.4, boost::test_tools::tolerance(kTight));
  BOOST_TEST(learning_rate(p, 50, 100) == 0.4, boost::test_tools::tolerance(kTight));
}

BOOST_AUTO_TEST_CASE(linear_reaches_its_floor_at_the_end) {
  const TrainingPlan p = plan(LrSchedule::kLinear, 0, 0.1);
  BOOST_TEST(learning_rate(p, 5, 10) == 0.25, boost::test_tools::tolerance(kTight));
  BOOST_TEST(learning_rate(p, 10, 10) == 0.1, boost::test_tools::tolerance(kTight));
}

BOOST_AUTO_TEST_CASE(cosine_is_half_way_down_in_the_middle) {
  const TrainingPlan p = plan(LrSchedule::kCosine, 10, 0);
  BOOST_TEST(learning_rate(p, 10, 110) == 0.4, boost::test_tools::tolerance(kTight));
  BOOST_TEST(learning_rate(p, 60, 110) == 0.2, boost::test_tools::tolerance(kTight));
  BOOST_TEST(learning_rate(p, 35, 110) == 0.2 * (1 + std::sqrt(0.5)),
             boost::test_tools::tolerance(kTight));
  BOOST_TEST(std::abs(learning_rate(p, 110, 110)) < 1e-15);
}

BOOST_AUTO_TEST_CASE(wsd_is_flat_until_its_last_fifth) {
  const TrainingPlan p = plan(LrSchedule::kWsd, 0, 0);
  BOOST_TEST(learning_rate(p, 80, 100) == 0.4, boost::test_tools::tolerance(kTight));
  BOOST_TEST(learning_rate(p, 85, 100) == 0.4 * (1 - 0.5), boost::test_tools::tolerance(kTight));
  BOOST_TEST(std::abs(learning_rate(p, 100, 100)) < 1e-15);
}

}  // namespace
}  // namespace headroom::trainer
