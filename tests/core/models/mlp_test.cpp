#include "core/models/build.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(mlp)

Plan mlp_plan(MlpPlan family, std::int64_t batch) {
  Plan plan;
  plan.model.family = std::move(family);
  plan.training.micro_batch_size = batch;
  return plan;
}

// 5 -> 8 -> 6 -> 3: 5*8 + 8 + 8*6 + 6 + 6*3 + 3 = 123 parameters.
BOOST_AUTO_TEST_CASE(parameters_are_pytorchs) {
  const Graph graph =
      models::build_graph(mlp_plan({.input_size = 5, .hidden_sizes = {8, 6}, .output_size = 3}, 4));
  BOOST_CHECK_EQUAL(graph.parameter_count(), 123);
  std::vector<std::string> names;
  for (TensorId id : graph.parameters()) names.push_back(to_string(graph.tensor(id).name));
  BOOST_TEST(names ==
             (std::vector<std::string>{"layers.0.weight", "layers.0.bias", "layers.1.weight",
                                       "layers.1.bias", "layers.2.weight", "layers.2.bias"}));
  BOOST_CHECK(graph.tensor(graph.parameters()[0]).type.shape == (Shape{{"out", 8}, {"in", 5}}));
}

BOOST_AUTO_TEST_CASE(without_hidden_sizes_it_is_one_linear_layer) {
  const Graph graph = models::build_graph(
      mlp_plan({.input_size = 7, .hidden_sizes = {}, .output_size = 2, .bias = false}, 3));
  BOOST_CHECK_EQUAL(graph.parameter_count(), 14);
  BOOST_CHECK_EQUAL(graph.calls().size(), 2U);
  BOOST_CHECK(graph.tensor(graph.calls()[0].outputs[0]).category == Category::kLogits);
}

BOOST_AUTO_TEST_CASE(targets_follow_the_loss) {
  MlpPlan family{.input_size = 7, .hidden_sizes = {}, .output_size = 10};
  const Graph values = models::build_graph(mlp_plan(family, 3));
  BOOST_CHECK(values.tensor(values.inputs()[1]).type.dtype == DType::kF32);
  BOOST_CHECK_EQUAL(values.tensor(values.inputs()[1]).type.shape.numel(), 30);
  family.loss = LossKind::kCrossEntropy;
  const Graph classes = models::build_graph(mlp_plan(family, 3));
  BOOST_CHECK(classes.tensor(classes.inputs()[1]).type.dtype == DType::kI32);
  BOOST_CHECK_EQUAL(classes.tensor(classes.inputs()[1]).type.shape.numel(), 3);
  BOOST_CHECK(classes.calls().back().phase == Phase::kLoss);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
