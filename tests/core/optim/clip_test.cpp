#include "tests/core/optim/update_step.h"
#include "tests/support/compare.h"
#include "tests/support/op_check.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(clipping)

/// p after one SGD step with lr 1 from p = 0, which is minus the clipped gradients.
struct Clipped {
  std::vector<std::vector<double>> gradients;
  double norm;
};
Clipped clip(const std::vector<std::vector<double>>& gradients,
             double max_norm,
             DType dtype,
             int threads = 1) {
  std::vector<std::int64_t> sizes;
  for (const auto& g : gradients) sizes.push_back(static_cast<std::int64_t>(g.size()));
  StepRunner runner(prescribed_gradients(optim::make_rule({.name = OptimizerKind::kSgd}), dtype,
                                         sizes, {.grad_clip_norm = max_norm, .input_slots = 1}),
                    threads);
  runner.set_batches({gradients});
  const auto result = runner.run({.learning_rate = 1, .step = 1, .grad_clip_norm = max_norm});
  Clipped clipped{{}, result.grad_norm};
  for (TensorId id : runner.step().parameters) {
    std::vector<double> p = runner.get(id);
    for (double& v : p) v = -v;
    clipped.gradients.push_back(p);
  }
  return clipped;
}

// |(3, 0), (0, 4)| = 5.
BOOST_AUTO_TEST_CASE(scales_all_gradients_to_the_wanted_norm) {
  const Clipped clipped = clip({{3, 0}, {0, 4}}, 2.5, DType::kF64);
  BOOST_CHECK_CLOSE(clipped.norm, 5.0, 1e-5);
  const double scale = 2.5 / (5 + 1e-6);
  check_close(clipped.gradients[0], {3 * scale, 0}, 1e-15, "first");
  check_close(clipped.gradients[1], {0, 4 * scale}, 1e-15, "second");
}

BOOST_AUTO_TEST_CASE(leaves_small_gradients_alone) {
  const Clipped clipped = clip({{3, 0}, {0, 4}}, 5.5, DType::kF64);
  BOOST_TEST(clipped.gradients[0] == (std::vector<double>{3, 0}));
  BOOST_TEST(clipped.gradients[1] == (std::vector<double>{0, 4}));
}

// Enough terms that a plain f32 sum would be off by more than the tolerance.
BOOST_AUTO_TEST_CASE(norms_of_large_gradients_are_exact_to_f32) {
  std::vector<std::vector<double>> gradients = {some_values(1'000'003, 1), some_values(70'001, 2)};
  double sum = 0;
  for (const auto& g : gradients) {
    for (double v : g) sum += v * v;
  }
  for (DType dtype : {DType::kF64, DType::kF32}) {
    BOOST_CHECK_CLOSE(clip(gradients, 1.0, dtype).norm, std::sqrt(sum), 2e-5);
  }
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  const std::vector<std::vector<double>> gradients = {some_values(300'001, 1), some_values(7, 2)};
  const Clipped one = clip(gradients, 1.0, DType::kF32, 1);
  for (int threads : {2, 3}) {
    const Clipped many = clip(gradients, 1.0, DType::kF32, threads);
    BOOST_CHECK(many.gradients == one.gradients);
    BOOST_CHECK_EQUAL(many.norm, one.norm);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(updates)

// One parameter large enough for several threads, every rule and form.
BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  using enum OptimizerKind;
  const std::vector<OptimizerPlan> plans = {
      {.name = kSgd, .momentum = 0.9, .nesterov = true},
      {.name = kAdagrad, .eps = 1e-10},
      {.name = kRmsprop, .momentum = 0.5, .alpha = 0.9, .centered = true, .eps = 1e-8},
      {.name = kAdam, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8},
      {.name = kAdamw, .weight_decay = 0.1, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8}};
  constexpr std::int64_t kSize = 100'003;
  for (const OptimizerPlan& plan : plans) {
    std::vector<double> first;
    for (int threads : {1, 2, 3}) {
      StepRunner runner(prescribed_gradients(optim::make_rule(plan), DType::kF32, {kSize}),
                        threads);
      runner.set(runner.step().parameters[0], some_values(kSize, 3));
      runner.set_batches({{some_values(kSize, 4)}, {some_values(kSize, 5)}});
      for (int t = 1; t <= 2; ++t) runner.run({.learning_rate = 0.01, .step = t});
      const std::vector<double> p = runner.get(runner.step().parameters[0]);
      if (threads == 1) first = p;
      BOOST_CHECK_MESSAGE(p == first, name(plan.name) << " with " << threads << " threads");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
