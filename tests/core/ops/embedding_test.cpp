#include "core/ops/embedding.h"

#include "core/describe/error.h"
#include "tests/support/compare.h"
#include "tests/support/expect.h"
#include "tests/support/kernel_call.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom::test {
namespace {

using ops::Embedding;

BOOST_AUTO_TEST_SUITE(embedding)

OpCase embedding_case(Shape tokens_shape,
                      std::vector<double> tokens,
                      Operand table,
                      std::vector<double> upstream,
                      std::optional<Operand> positions = {}) {
  const bool has_positions = positions.has_value();
  OpCase test{
      .name = "embedding " + to_string(tokens_shape) + " of " + to_string(table.shape),
      .make = [=] { return std::make_unique<Embedding>(Embedding::Options{has_positions}); },
      .operands = {{tokens_shape, std::move(tokens), false, true}, std::move(table)},
      .upstream = std::move(upstream)};
  if (has_positions) test.operands.push_back(std::move(*positions));
  return test;
}

/// Tokens that repeat, in no order, and leave some rows out.
std::vector<double> some_tokens(std::int64_t count, std::int64_t vocabulary) {
  std::vector<double> tokens;
  for (std::int64_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<double>(i * i * 7 % vocabulary));
  }
  return tokens;
}

OpCase some_case(
    std::int64_t b, std::int64_t t, std::int64_t v, std::int64_t c, std::int64_t positions = 0) {
  std::optional<Operand> position_table;
  if (positions > 0) position_table = some_operand({{"position", positions}, {"c", c}}, 3);
  return embedding_case({{"b", b}, {"t", t}}, some_tokens(b * t, v),
                        some_operand({{"v", v}, {"c", c}}, 1), some_values(b * t * c, 2),
                        position_table);
}

BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  for (const auto& node : load_reference("embedding").at("cases")) {
    const ReferenceTensor tokens = tensor_of(node.at("tokens"));
    const ReferenceTensor table = tensor_of(node.at("table"));
    std::optional<Operand> positions;
    if (node.contains("positions")) {
      const ReferenceTensor rows = tensor_of(node.at("positions"));
      positions = Operand{rows.shape(), rows.values};
    }
    const OpCase test = embedding_case(tokens.shape(), tokens.values, {table.shape(), table.values},
                                       tensor_of(node.at("grad_y")).values, positions);
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      OpResult expected{.output = tensor_of(values.at("y")).values,
                        .gradients = {{}, tensor_of(values.at("grad_table")).values}};
      if (positions) expected.gradients.push_back(tensor_of(values.at("grad_positions")).values);
      check_expected(test, dtype, expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  check_op(some_case(2, 3, 5, 4));
  check_op(some_case(2, 3, 5, 4, 3));
  check_op(some_case(2, 3, 5, 4, 5));
  check_op(some_case(1, 1, 1, 1, 1));
  check_op(some_case(1, 12, 2, 3));  // runs longer than are added at once
  OpCase test = some_case(2, 3, 5, 4, 3);
  test.operands[1].gradient = false;
  check_op(test);
  test = some_case(2, 3, 5, 4, 3);
  test.operands[2].gradient = false;
  check_op(test);
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  check_large(some_case(5, 61, 300, 257, 70));
  check_large(some_case(3, 401, 7, 131));
}

/// The sum over the places of each token, in order, as a loop over the tokens.
BOOST_AUTO_TEST_CASE(every_table_size_sorts) {
  for (const std::int64_t v : {1, 2, 63, 64, 65, 4095, 4096, 4097, 300000}) {
    const std::int64_t n = 700;
    OpCase test = some_case(7, 100, v, 1);
    for (std::int64_t i = 0; i < n; ++i) {
      test.operands[0].values[static_cast<std::size_t>(i)] =
          static_cast<double>(i * 104729 % 331 * (v / 331 + 1) % v);
    }
    std::vector<double> expected(static_cast<std::size_t>(v), 0.0);
    for (std::size_t i = 0; i < test.upstream.size(); ++i) {
      expected[static_cast<std::size_t>(test.operands[0].values[i])] += test.upstream[i];
    }
    BOOST_CHECK(run_op(test).gradients[1] == expected);
  }
}

BOOST_AUTO_TEST_CASE(a_token_that_does_not_exist_makes_its_row_nan) {
  for (const double wrong : {-1.0, 5.0, 2147483647.0, -2147483648.0}) {
    OpCase test = some_case(2, 3, 5, 4, 3);
    test.operands[0].values = {0, 1, wrong, 4, 4, 2};
    KernelCall forward(test, Pass::kForward);
    forward.run();
    const std::vector<double> y = forward.written(0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      BOOST_CHECK_EQUAL(std::isnan(y[i]), i / 4 == 2);
    }
    KernelCall backward(test, Pass::kBackward);
    const std::vector<double> dy = some_values(24, 9);
    backward.set_read(4, dy);
    backward.run();
    std::vector<double> expected(20, 0.0);
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const double token = test.operands[0].values[i / 4];
      if (token == wrong) continue;
      expected[static_cast<std::size_t>(token) * 4 + i % 4] += dy[i];
    }
    check_close(backward.written(1), expected, 1e-15, "table gradient");
  }
}

BOOST_AUTO_TEST_CASE(sixteen_bit_activations_of_an_f32_table) {
  OpCase test = some_case(2, 3, 5, 4, 3);
  test.make = [] {
    return std::make_unique<Embedding>(
        Embedding::Options{.positions = true, .dtype = DType::kBf16});
  };
  KernelCall call(test, Pass::kForward, DType::kF32);
  call.run();
  std::vector<double> expected;
  for (std::size_t i = 0; i < 24; ++i) {
    const auto token = static_cast<std::size_t>(test.operands[0].values[i / 4]);
    const double sum =
        test.operands[1].values[token * 4 + i % 4] + test.operands[2].values[i / 4 % 3 * 4 + i % 4];
    expected.push_back(static_cast<double>(static_cast<float>(bf16(static_cast<float>(sum)))));
  }
  BOOST_CHECK(call.written(0) == expected);
}

BOOST_AUTO_TEST_CASE(wrong_shapes_are_named) {
  const TensorType tokens{{{"b", 2}, {"t", 3}}, DType::kI32};
  const TensorType table{{{"v", 5}, {"c", 4}}, DType::kF32};
  const auto fails = [](bool positions, const std::vector<TensorType>& operands,
                        std::string_view part) {
    const Embedding op({.positions = positions});
    expect_error<ShapeError>([&] { (void)op.outputs(operands); }, part);
  };
  fails(false, {tokens}, "[embedding] operands: got 1, expected tokens, table");
  fails(true, {tokens, table}, "expected tokens, table, positions");
  fails(false, {{tokens.shape, DType::kF32}, table}, "[embedding] tokens dtype: got f32");
  fails(false, {tokens, {{{"c", 4}}, DType::kF32}}, "[embedding] table: got (c 4)");
  fails(true, {tokens, table, {{{"p", 2}, {"c", 4}}, DType::kF32}},
        "[embedding] positions: got (p 2, c 4), expected at least 3 rows of 4");
  fails(true, {tokens, table, {{{"p", 3}, {"c", 5}}, DType::kF32}}, "expected at least 3 rows");
  fails(true, {tokens, table, {{{"p", 3}, {"c", 4}}, DType::kF64}}, "positions dtype: got f64");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
