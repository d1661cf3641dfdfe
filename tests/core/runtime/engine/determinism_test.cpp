#include "tests/core/runtime/engine/run_step.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

std::vector<std::byte> train(const Plan& plan, int threads, bool strict, double clip = 0) {
  test::Engine engine(plan, threads, strict);
  engine.clip = clip;
  for (std::int64_t step = 1; step <= 4; ++step) (void)engine.run(step);
  return engine.parameters();
}

std::vector<Plan> plans() {
  std::vector<Plan> list = {test::cruncher_plan(96, 3, 70), test::cruncher_plan(37, 2, 13),
                            test::mlp_plan(ActivationKind::kGelu, LossKind::kCrossEntropy, 300),
                            test::mlp_plan(ActivationKind::kSilu, LossKind::kMse, 64)};
  list.push_back(list[2]);
  list.back().training.gradient_accumulation_steps = 3;
  list.back().training.grad_clip_norm = 0.1;
  return list;
}

BOOST_AUTO_TEST_CASE(in_strict_mode_the_thread_count_changes_no_bit) {
  for (const Plan& plan : plans()) {
    const double clip = plan.training.grad_clip_norm;
    const auto one = train(plan, 1, true, clip);
    BOOST_TEST((one == train(plan, 2, true, clip)));
    BOOST_TEST((one == train(plan, 3, true, clip)));
    BOOST_TEST((one == train(plan, 8, true, clip)));
  }
}

BOOST_AUTO_TEST_CASE(the_same_threads_give_the_same_bits) {
  for (const Plan& plan : plans()) {
    for (int threads : {1, 2, 3}) {
      BOOST_TEST((train(plan, threads, false) == train(plan, threads, false)));
    }
  }
}

BOOST_AUTO_TEST_CASE(updating_in_backward_changes_no_bit) {
  for (Plan plan : plans()) {
    plan.training.grad_clip_norm = 0;
    const auto in_backward = train(plan, 2, true);
    plan.training.optimizer_in_backward = false;
    BOOST_TEST((train(plan, 2, true) == in_backward));
  }
}

}  // namespace
}  // namespace headroom
