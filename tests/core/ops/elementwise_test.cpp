#include "core/ops/elementwise.h"

#include "core/describe/error.h"
#include "core/ops/reduce.h"
#include "core/optim/sgd.h"
#include "tests/support/compare.h"
#include "tests/support/op_check.h"

#include <boost/test/unit_test.hpp>

#include <array>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(elementwise)

template <class OpType>
OpCase binary_case(const Shape& shape, std::uint32_t seed) {
  return {.name = std::string(OpType::kName),
          .make = [] { return std::make_unique<OpType>(); },
          .operands = {some_operand(shape, seed), some_operand(shape, seed + 1)},
          .upstream = some_values(shape.numel(), seed + 2)};
}

template <class OpType>
void check_binary() {
  check_op(binary_case<OpType>({{"a", 3}, {"b", 5}}, 1));
  check_op(binary_case<OpType>({{"a", 1}}, 4));
  check_op(binary_case<OpType>({}, 7));
  check_large(binary_case<OpType>({{"a", 131}, {"b", 517}}, 9));
  OpCase loss = binary_case<OpType>({}, 13);
  loss.upstream.clear();
  check_op(loss);
  BOOST_CHECK_CLOSE(run_op(loss, {.accumulation = 3}).output[0], 3 * run_op(loss).output[0], 1e-12);
  OpCase one_sided = binary_case<OpType>({{"a", 3}, {"b", 5}}, 11);
  one_sided.operands[0].gradient = false;
  check_op(one_sided);
  one_sided.operands[0].gradient = true;
  one_sided.operands[1].gradient = false;
  check_op(one_sided);
}

BOOST_AUTO_TEST_CASE(add_and_its_gradients) { check_binary<ops::Add>(); }
BOOST_AUTO_TEST_CASE(mul_and_its_gradients) { check_binary<ops::Mul>(); }

BOOST_AUTO_TEST_CASE(values_by_hand) {
  const Operand a{{{"n", 3}}, {1, 2, 3}};
  const Operand b{{{"n", 3}}, {10, -20, 0.5}};
  const std::vector<double> upstream{1, 2, 4};
  const OpResult sum =
      run_op({"add", [] { return std::make_unique<ops::Add>(); }, {a, b}, upstream});
  BOOST_TEST(sum.output == (std::vector<double>{11, -18, 3.5}));
  BOOST_TEST(sum.gradients[0] == upstream);
  BOOST_TEST(sum.gradients[1] == upstream);
  const OpResult product =
      run_op({"mul", [] { return std::make_unique<ops::Mul>(); }, {a, b}, upstream});
  BOOST_TEST(product.output == (std::vector<double>{10, -40, 1.5}));
  BOOST_TEST(product.gradients[0] == (std::vector<double>{10, -40, 2}));
  BOOST_TEST(product.gradients[1] == (std::vector<double>{1, 4, 12}));
}

/// Gradient of sum(op(v, v)) where v = p + 0 is an activation whose storage may be taken over.
template <class OpType>
std::vector<double> gradient_of_both_sides(const std::vector<double>& values) {
  const TensorType type{{{"n", static_cast<std::int64_t>(values.size())}}, DType::kF64};
  Graph graph;
  const TensorId p = graph.parameter({.stem = "p"}, type, Initializer::zeros());
  const TensorId zeros = graph.input({.stem = "zeros"}, type);
  const auto& add = graph.own(std::make_unique<ops::Add>());
  const auto& op = graph.own(std::make_unique<OpType>());
  const auto& sum = graph.own(std::make_unique<ops::Reduce>("n ->", ops::Reduction::kSum));
  const TensorId v = graph.apply(add, {p, zeros}, {.stem = "v"})[0];
  const TensorId y = graph.apply(op, {v, v}, {.stem = "y"})[0];
  graph.set_loss(graph.apply(sum, {y}, {.stem = "loss"}, Category::kTemporaries, Phase::kLoss)[0]);
  StepRunner runner(make_step(std::move(graph),
                              std::make_unique<optim::Sgd>(optim::Sgd::Options{.momentum = 0.5}),
                              {.input_slots = 1}));
  runner.set(p, values);
  runner.set_batches({{std::vector<double>(values.size(), 0.0)}});
  runner.run({.learning_rate = 0, .step = 1});
  return runner.state(0, 0);
}

BOOST_AUTO_TEST_CASE(the_same_tensor_on_both_sides) {
  BOOST_TEST(gradient_of_both_sides<ops::Add>({3, -1, 0.5}) == (std::vector<double>{2, 2, 2}));
  BOOST_TEST(gradient_of_both_sides<ops::Mul>({3, -1, 0.5}) == (std::vector<double>{6, -2, 1}));
}

BOOST_AUTO_TEST_CASE(counts_flops) {
  const TensorType x{{{"a", 4}, {"b", 6}}, DType::kF32};
  const std::array inputs{x, x};
  BOOST_CHECK_EQUAL(ops::Add().forward_work(inputs).flops().value(), 24);
  BOOST_CHECK_EQUAL(ops::Add().backward_work(inputs, 0b11)[0].flops().value(), 0);
  BOOST_CHECK_EQUAL(ops::Mul().forward_work(inputs).flops().value(), 24);
  BOOST_CHECK_EQUAL(ops::Mul().backward_work(inputs, 0b11)[0].flops().value(), 48);
  BOOST_CHECK_EQUAL(ops::Mul().backward_work(inputs, 0b01)[0].flops().value(), 24);
  BOOST_CHECK_EQUAL(ops::Mul().backward_work(inputs, 0b01)[0].read.value(), 2 * 24 * 4);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit) {
  using Inputs = std::vector<TensorType>;
  const TensorType x{{{"a", 4}, {"b", 6}}, DType::kF32};
  BOOST_CHECK_THROW((void)ops::Add().outputs(Inputs{x}), ShapeError);
  BOOST_CHECK_THROW((void)ops::Add().outputs(Inputs{x, {{{"a", 6}, {"b", 4}}, DType::kF32}}),
                    ShapeError);
  BOOST_CHECK_THROW((void)ops::Mul().outputs(Inputs{x, {{{"a", 24}}, DType::kF32}}), ShapeError);
  BOOST_CHECK_THROW((void)ops::Mul().outputs(Inputs{x, {x.shape, DType::kF64}}), ShapeError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
