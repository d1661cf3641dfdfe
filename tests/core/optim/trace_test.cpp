#include "tests/core/optim/update_step.h"
#include "tests/support/compare.h"
#include "tests/support/reference_optimizer.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(traces)

/// Column c of a (steps, columns) table: one element's values over time.
std::vector<double> column(const ReferenceTensor& table, std::size_t c) {
  const auto columns = static_cast<std::size_t>(table.sizes[1]);
  std::vector<double> values;
  for (std::size_t i = c; i < table.values.size(); i += columns) values.push_back(table.values[i]);
  return values;
}

/// Each element's ten values, within a tolerance of the largest among them.
void check_table(const ReferenceTensor& got,
                 const ReferenceTensor& expected,
                 double tolerance,
                 const std::string& what) {
  for (std::size_t c = 0; c < static_cast<std::size_t>(expected.sizes[1]); ++c) {
    check_close(column(got, c), column(expected, c), tolerance,
                what + " element " + std::to_string(c));
  }
}

void check_trace(const nlohmann::json& reference, const nlohmann::json& node, DType dtype) {
  const OptimizerPlan plan = optimizer_of(node);
  const ReferenceTensor gradients = tensor_of(reference.at("gradients"));
  const std::int64_t steps = gradients.sizes[0];
  const std::int64_t size = gradients.sizes[1];
  StepRunner runner(prescribed_gradients(optim::make_rule(plan), dtype, {size}));
  const Step& step = runner.step();
  runner.set(step.parameters[0], tensor_of(reference.at("initial_p")).values);
  const auto& hyper = node.at("hyper");
  // These two belong to PyTorch's interface, not to ours: the one is a first value of the state,
  // the other a schedule of the learning rate.
  const double first_sum = hyper.value("initial_accumulator_value", 0.0);
  if (first_sum != 0) {
    runner.set(step.states[0][0], std::vector<double>(static_cast<std::size_t>(size), first_sum));
  }
  const double lr_decay = hyper.value("lr_decay", 0.0);

  ReferenceTensor p{gradients.sizes, {}};
  std::vector<ReferenceTensor> states(step.states[0].size(), p);
  for (std::int64_t t = 0; t < steps; ++t) {
    const auto begin = gradients.values.begin() + t * size;
    runner.set_batches({{{begin, begin + size}}});
    runner.run({.learning_rate = plan.lr / (1 + static_cast<double>(t) * lr_decay), .step = t + 1});
    const auto append = [](ReferenceTensor& table, const std::vector<double>& row) {
      table.values.insert(table.values.end(), row.begin(), row.end());
    };
    append(p, runner.get(step.parameters[0]));
    for (std::size_t s = 0; s < states.size(); ++s) append(states[s], runner.state(0, s));
  }

  const auto& expected = node.at(std::string(name(dtype)));
  const double tolerance = dtype == DType::kF64 ? 1e-12 : 1e-5;
  const std::string what = node.at("name").get<std::string>() + " " + std::string(name(dtype));
  check_table(p, tensor_of(expected.at("p")), tolerance, what + " p");
  BOOST_CHECK_EQUAL(states.size(), expected.at("states").size());
  for (std::size_t s = 0; s < states.size(); ++s) {
    std::string state(step.tensor(step.states[0][s]).name.suffix);
    if (plan.eps_inside_root && state == "sum") state = "g2";  // the notes' name
    BOOST_REQUIRE_MESSAGE(expected.at("states").contains(state), what << " keeps " << state);
    check_table(states[s], tensor_of(expected.at("states").at(state)), tolerance,
                what + " " + state);
  }
}

BOOST_AUTO_TEST_CASE(ten_steps_agree_with_pytorch) {
  const auto reference = load_reference("optimizers");
  for (const auto& node : reference.at("cases")) {
    check_trace(reference, node, DType::kF64);
    check_trace(reference, node, DType::kF32);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
