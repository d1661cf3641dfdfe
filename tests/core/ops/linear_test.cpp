#include "core/ops/linear.h"

#include "core/describe/error.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

using ops::Linear;
using ops::WeightLayout;

BOOST_AUTO_TEST_SUITE(linear)

Shape weight_shape(WeightLayout layout, std::int64_t in, std::int64_t out) {
  return layout == WeightLayout::kInOut ? Shape{{"in", in}, {"out", out}}
                                        : Shape{{"out", out}, {"in", in}};
}

OpCase linear_case(
    std::string name, Linear::Options options, Shape x, std::int64_t out, std::uint32_t seed) {
  const std::int64_t in = x.back().size;
  OpCase test{.name = std::move(name),
              .make = [options] { return std::make_unique<Linear>(options); },
              .operands = {some_operand(x, seed),
                           some_operand(weight_shape(options.layout, in, out), seed + 1)},
              .upstream = some_values(x.rows() * out, seed + 2)};
  if (options.bias) test.operands.push_back(some_operand({{"out", out}}, seed + 3));
  return test;
}

BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  for (const auto& node : load_reference("linear").at("cases")) {
    const Linear::Options options{
        .bias = node.at("has_bias").get<bool>(),
        .layout = node.at("layout") == "in_out" ? WeightLayout::kInOut : WeightLayout::kOutIn,
        .squeeze = node.at("squeeze").get<bool>()};
    const ReferenceTensor x = tensor_of(node.at("x"));
    const ReferenceTensor weight = tensor_of(node.at("weight"));
    OpCase test{.name = node.at("name").get<std::string>(),
                .make = [options] { return std::make_unique<Linear>(options); },
                .operands = {{x.shape(), x.values}, {weight.shape(), weight.values}},
                .upstream = tensor_of(node.at("grad_y")).values};
    if (options.bias) {
      const ReferenceTensor bias = tensor_of(node.at("bias"));
      test.operands.push_back({bias.shape(), bias.values});
    }
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      OpResult expected{.output = tensor_of(values.at("y")).values,
                        .gradients = {tensor_of(values.at("grad_x")).values,
                                      tensor_of(values.at("grad_weight")).values}};
      if (options.bias) expected.gradients.push_back(tensor_of(values.at("grad_bias")).values);
      check_expected(test, dtype, expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  std::uint32_t seed = 100;
  for (WeightLayout layout : {WeightLayout::kInOut, WeightLayout::kOutIn}) {
    for (bool bias : {false, true}) {
      const Linear::Options options{.bias = bias, .layout = layout};
      check_op(linear_case("odd", options, {{"batch", 5}, {"in", 7}}, 3, seed += 10));
      check_op(linear_case("square", options, {{"batch", 4}, {"in", 4}}, 4, seed += 10));
      check_op(
          linear_case("three dimensions", options, {{"b", 2}, {"t", 3}, {"in", 5}}, 4, seed += 10));
      check_op(linear_case("one output", options, {{"batch", 19}, {"in", 6}}, 1, seed += 10));
      check_op(linear_case("one row", options, {{"batch", 1}, {"in", 3}}, 2, seed += 10));
      check_op(linear_case("one of all", options, {{"batch", 1}, {"in", 1}}, 1, seed += 10));
      const Linear::Options squeezed{.bias = bias, .layout = layout, .squeeze = true};
      check_op(linear_case("squeezed", squeezed, {{"batch", 17}, {"in", 5}}, 1, seed += 10));
    }
  }
}

// Large enough for several panels, several partial sums with rows to spare and more than a tile of
// columns.
BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  for (std::int64_t out : {1, 67}) {
    check_large(linear_case("large", {.bias = true}, {{"batch", 301}, {"in", 129}}, out, 7));
  }
  check_large(linear_case("wide", {.bias = true, .layout = WeightLayout::kOutIn},
                          {{"batch", 37}, {"in", 1500}}, 1, 8));
}

BOOST_AUTO_TEST_CASE(counts_flops_as_the_notes_do) {
  const std::int64_t B = 6, D = 5, K = 3;
  const TensorType x{{{"batch", B}, {"in", D}}, DType::kF32};
  const TensorType w{{{"in", D}, {"out", K}}, DType::kF32};
  const std::array inputs{x, w};
  const Linear op({});
  BOOST_CHECK_EQUAL(op.forward_work(inputs).flops().value(), 2.0 * B * D * K);
  const auto backward = op.backward_work(inputs, 0b11);
  BOOST_REQUIRE_EQUAL(backward.size(), 2U);
  BOOST_CHECK_EQUAL(backward[0].flops().value(), 2.0 * B * D * K);
  BOOST_CHECK_EQUAL(backward[1].flops().value(), 2.0 * B * D * K);
  BOOST_CHECK_EQUAL(op.backward_work(inputs, 0b10).size(), 1U);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit) {
  const auto type = [](Shape shape) { return TensorType{shape, DType::kF32}; };
  const TensorType x = type({{"batch", 2}, {"in", 3}});
  const TensorType w = type({{"in", 3}, {"out", 4}});
  using Inputs = std::vector<TensorType>;
  BOOST_CHECK_THROW((void)Linear({}).outputs(Inputs{x}), ShapeError);
  BOOST_CHECK_THROW((void)Linear({}).outputs(Inputs{x, type({{"in", 2}, {"out", 4}})}), ShapeError);
  BOOST_CHECK_THROW((void)Linear({}).outputs(Inputs{x, type({{"in", 3}})}), ShapeError);
  BOOST_CHECK_THROW((void)Linear({.squeeze = true}).outputs(Inputs{x, w}), ShapeError);
  BOOST_CHECK_THROW((void)Linear({.bias = true}).outputs(Inputs{x, w, type({{"out", 3}})}),
                    ShapeError);
  BOOST_CHECK_NO_THROW((void)Linear({.bias = true}).outputs(Inputs{x, w, type({{"out", 4}})}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
