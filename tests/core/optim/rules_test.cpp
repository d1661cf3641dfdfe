#include "core/optim/rules.h"

#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(rules)

const TensorType kParameter{{{"in", 10}, {"out", 6}}, DType::kF32};

struct Expected {
  OptimizerPlan plan;
  std::vector<std::string> states;
  double flops_per_element;
};

// FLOPs counted by hand from the formulas in each rule's header.
BOOST_AUTO_TEST_CASE(states_and_costs_follow_from_the_hyper_parameters) {
  using enum OptimizerKind;
  const std::vector<Expected> cases = {
      {{.name = kSgd}, {}, 2},
      {{.name = kSgd, .weight_decay = 0.1}, {}, 4},
      {{.name = kSgd, .momentum = 0.9}, {"momentum_buffer"}, 4},
      {{.name = kSgd, .momentum = 0.9, .dampening = 0.5}, {"momentum_buffer"}, 5},
      {{.name = kSgd, .momentum = 0.9, .nesterov = true}, {"momentum_buffer"}, 6},
      {{.name = kAdagrad}, {"sum"}, 7},
      {{.name = kAdagrad, .weight_decay = 0.1, .eps_inside_root = true}, {"sum"}, 9},
      {{.name = kRmsprop}, {"square_avg"}, 9},
      {{.name = kRmsprop, .momentum = 0.9}, {"square_avg", "momentum_buffer"}, 11},
      {{.name = kRmsprop, .centered = true}, {"square_avg", "grad_avg"}, 14},
      {{.name = kRmsprop, .weight_decay = 0.1, .momentum = 0.9, .centered = true},
       {"square_avg", "grad_avg", "momentum_buffer"},
       18},
      {{.name = kAdam}, {"exp_avg", "exp_avg_sq"}, 13},
      {{.name = kAdam, .weight_decay = 0.1}, {"exp_avg", "exp_avg_sq"}, 15},
      {{.name = kAdamw}, {"exp_avg", "exp_avg_sq"}, 13},
      {{.name = kAdamw, .weight_decay = 0.1}, {"exp_avg", "exp_avg_sq"}, 14},
  };
  for (const Expected& expected : cases) {
    const auto rule = optim::make_rule(expected.plan);
    BOOST_CHECK_EQUAL(rule->name(), name(expected.plan.name));
    const StateSpecs states = rule->states(kParameter);
    BOOST_REQUIRE_EQUAL(states.size(), expected.states.size());
    for (std::size_t s = 0; s < states.size(); ++s) {
      BOOST_CHECK_EQUAL(states[s].name, expected.states[s]);
      BOOST_CHECK(states[s].type.shape == kParameter.shape);
      BOOST_CHECK(states[s].type.dtype == kParameter.dtype);
    }
    const Work work = rule->update_work(kParameter);
    const std::int64_t size = 60 * 4;
    const std::int64_t kept = size * (1 + static_cast<std::int64_t>(states.size()));
    BOOST_CHECK_EQUAL(work.flops().value(), expected.flops_per_element * 60);
    BOOST_CHECK_EQUAL(work.read.value(), kept + size);
    BOOST_CHECK_EQUAL(work.written.value(), kept);
  }
}

BOOST_AUTO_TEST_CASE(states_take_the_parameters_dtype) {
  const auto rule = optim::make_rule({.name = OptimizerKind::kAdam});
  const TensorType parameter{{{"n", 5}}, DType::kF64};
  BOOST_CHECK(rule->states(parameter)[0].type.dtype == DType::kF64);
}

BOOST_AUTO_TEST_CASE(nesterov_needs_momentum_and_no_dampening) {
  BOOST_CHECK_THROW((void)optim::make_rule({.name = OptimizerKind::kSgd, .nesterov = true}), Error);
  BOOST_CHECK_THROW(
      (void)optim::make_rule(
          {.name = OptimizerKind::kSgd, .momentum = 0.9, .dampening = 0.1, .nesterov = true}),
      Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
