#include "estimator/cost.h"

#include "core/describe/error.h"
#include "tests/estimator/samples.h"

#include <boost/test/unit_test.hpp>

#include <string>

namespace headroom::estimator {
namespace {

using boost::test_tools::tolerance;
using test::round_gpu;

const TimeRange kStep{Seconds(0.9), Seconds(1.8), Seconds(3.6)};

Hardware priced_gpu() {
  Hardware gpu = round_gpu();
  gpu.price = Price{Usd(1), Usd(2), Usd(5), "2026-05", Standing::kDerived, "a price page"};
  return gpu;
}

BOOST_AUTO_TEST_SUITE(cost)

BOOST_AUTO_TEST_CASE(hours_and_dollars_by_hand) {
  // 1000 steps of 1.8 s on 8 devices: 1800 s x 8 / 3600 = 4 GPU-hours, at 2 dollars.
  const CostEstimate cost = estimate_cost(priced_gpu(), kStep, 1000, 8);
  BOOST_TEST(cost.gpu_hours.low == 2.0, tolerance(1e-12));
  BOOST_TEST(cost.gpu_hours.typical == 4.0, tolerance(1e-12));
  BOOST_TEST(cost.gpu_hours.high == 8.0, tolerance(1e-12));
  BOOST_TEST(cost.run->low.value() == 2.0, tolerance(1e-12));
  BOOST_TEST(cost.run->typical.value() == 8.0, tolerance(1e-12));
  BOOST_TEST(cost.run->high.value() == 40.0, tolerance(1e-12));
  BOOST_TEST(cost.per_step->typical.value() == 0.008, tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(the_price_of_the_plan_wins) {
  const CostEstimate cost = estimate_cost(priced_gpu(), kStep, 1000, 8, Usd(10));
  BOOST_TEST(cost.price_from_plan);
  BOOST_TEST(cost.run->low.value() == 20.0, tolerance(1e-12));
  BOOST_TEST(cost.run->typical.value() == 40.0, tolerance(1e-12));
  BOOST_TEST(cost.run->high.value() == 80.0, tolerance(1e-12));
  // A machine one owns costs nothing more.
  BOOST_TEST(estimate_cost(round_gpu(), kStep, 10, 1, Usd(0)).run->typical.value() == 0.0);
}

BOOST_AUTO_TEST_CASE(without_a_price_there_are_hours_but_no_dollars) {
  const CostEstimate cost = estimate_cost(round_gpu(), kStep, 1000, 8);
  BOOST_TEST(cost.gpu_hours.typical == 4.0, tolerance(1e-12));
  BOOST_TEST(!cost.run.has_value());
  BOOST_TEST(price_note(cost, round_gpu()) ==
             "no price is known for round-gpu; set hardware.price_per_gpu_hour to see dollars");
}

BOOST_AUTO_TEST_CASE(the_note_says_where_a_price_is_from_and_when) {
  const Hardware gpu = priced_gpu();
  BOOST_TEST(price_note(estimate_cost(gpu, kStep, 1, 1), gpu) ==
             "price of 2026-05, derived: a price page");
}

// LLaMA-65B took 1,022,362 A100 GPU-hours (its paper). At the price range of one A100 of May 2026
// that is the product, whatever the number of devices and steps it is split into.
BOOST_AUTO_TEST_CASE(a_published_run_priced) {
  Hardware a100 = round_gpu();
  a100.price =
      Price{Usd(0.80), Usd(1.30), Usd(3.00), "2026-05", Standing::kDerived, "a price page"};
  const Seconds step(1022362.0 * 3600 / 2048 / 350000);
  const CostEstimate cost = estimate_cost(a100, {step, step, step}, 350000, 2048);
  BOOST_TEST(cost.gpu_hours.typical == 1022362.0, tolerance(1e-9));
  BOOST_TEST(cost.run->low.value() == 817889.6, tolerance(1e-9));
  BOOST_TEST(cost.run->typical.value() == 1329070.6, tolerance(1e-9));
  BOOST_TEST(cost.run->high.value() == 3067086.0, tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(nonsense_is_refused) {
  BOOST_CHECK_THROW((void)estimate_cost(round_gpu(), kStep, 1, 0), Error);
  BOOST_CHECK_THROW((void)estimate_cost(round_gpu(), kStep, 1, 1, Usd(-1)), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::estimator
