#include "core/ops/reduce.h"

#include "core/describe/error.h"
#include "tests/support/kernel_call.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

namespace headroom::test {
namespace {

using ops::Reduce;
using ops::Reduction;

BOOST_AUTO_TEST_SUITE(reduce)

constexpr Reduction kAll[] = {Reduction::kSum, Reduction::kMean, Reduction::kMax};

std::int64_t output_size(const std::string& pattern, Reduction kind, const Shape& shape) {
  const TensorType x{shape, DType::kF64};
  return Reduce(pattern, kind).outputs({&x, 1})[0].type.shape.numel();
}

OpCase reduce_case(const std::string& pattern, Reduction kind, Operand x, std::uint32_t seed) {
  const std::int64_t results = output_size(pattern, kind, x.shape);
  return {.name = std::string(name(kind)) + " " + pattern,
          .make = [pattern, kind] { return std::make_unique<Reduce>(pattern, kind); },
          .operands = {std::move(x)},
          .upstream = some_values(results, seed)};
}

BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  for (const auto& node : load_reference("reduce").at("cases")) {
    const ReferenceTensor x = tensor_of(node.at("x"));
    Reduction kind{};
    for (Reduction k : kAll) {
      if (name(k) == node.at("op").get<std::string>()) kind = k;
    }
    OpCase test =
        reduce_case(node.at("pattern").get<std::string>(), kind, {x.shape(), x.values}, 1);
    test.name = node.at("name").get<std::string>();
    test.upstream = tensor_of(node.at("grad_out")).values;
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      check_expected(test, dtype,
                     {.output = tensor_of(values.at("out")).values,
                      .gradients = {tensor_of(values.at("grad_x")).values}});
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  const Shape shape{{"a", 3}, {"b", 4}, {"c", 5}};
  for (Reduction kind : kAll) {
    for (const char* pattern :
         {"a b c -> a b", "a b c -> a c", "a b c -> b c", "a b c -> c", "a b c -> a", "a b c -> b",
          "a b c ->", "a b c -> c a", "a b c -> c b a", "a b c -> b c a", "a b c -> a b c"}) {
      check_op(reduce_case(pattern, kind, some_operand(shape, 3), 4));
    }
    check_op(reduce_case("a ->", kind, some_operand({{"a", 1}}, 5), 6));
    check_op(reduce_case("->", kind, some_operand({}, 5), 6));
    check_op(reduce_case("a b c d -> d b", kind,
                         some_operand({{"a", 2}, {"b", 1}, {"c", 3}, {"d", 2}}, 7), 8));
  }
}

// Longer than a run, wider than a tile, and an output that is permuted.
BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  for (Reduction kind : kAll) {
    check_large(reduce_case("a b -> a", kind, some_operand({{"a", 5}, {"b", 10007}}, 1), 2));
    check_large(reduce_case("a b -> b", kind, some_operand({{"a", 21}, {"b", 5003}}, 3), 4));
    check_large(
        reduce_case("a b c -> c a", kind, some_operand({{"a", 17}, {"b", 11}, {"c", 1501}}, 5), 6));
  }
}

// A scalar loss of a step adds up over micro batches.
BOOST_AUTO_TEST_CASE(may_be_the_loss) {
  for (const Shape& shape : {Shape{{"a", 2}, {"b", 3}}, Shape{{"a", 1}, {"b", 1}}}) {
    for (Reduction kind : kAll) {
      OpCase test = reduce_case("a b ->", kind, some_operand(shape, 11), 1);
      test.upstream.clear();
      check_gradients(test);
      if (kind == Reduction::kMax) {
        BOOST_CHECK_THROW((void)run_op(test, {.accumulation = 3}), Error);
        continue;
      }
      check_step_behaviour(test);
      const double once = run_op(test).output[0];
      const double thrice = run_op(test, {.accumulation = 3}).output[0];
      BOOST_CHECK_CLOSE(thrice, 3 * once, 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_maxima_share_the_gradient) {
  OpCase test = reduce_case("r c -> r", Reduction::kMax,
                            {{{"r", 2}, {"c", 4}}, {5, 1, 5, 5, -2, -2, -7, -9}}, 1);
  test.upstream = {6, 10};
  const OpResult got = run_op(test);
  BOOST_TEST(got.output == (std::vector<double>{5, -2}));
  BOOST_TEST(got.gradients[0] == (std::vector<double>{2, 0, 2, 2, 5, 5, 0, 0}));
}

BOOST_AUTO_TEST_CASE(a_nan_is_the_maximum) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> rows{1, nan, 2, nan, infinity, 2, 3, infinity, -infinity, 3, 4, -7};
  std::vector<double> columns(rows.size());
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 3; ++c) columns[c * 4 + r] = rows[r * 3 + c];
  }
  const auto check = [](const char* pattern, const Shape& shape, const std::vector<double>& x) {
    const OpCase test = reduce_case(pattern, Reduction::kMax, {shape, x}, 1);
    KernelCall call(test, Pass::kForward);
    call.run();
    const std::vector<double> y = call.written(0);
    BOOST_REQUIRE_EQUAL(y.size(), 4U);
    BOOST_CHECK(std::isnan(y[0]));
    BOOST_CHECK(std::isnan(y[1]));
    BOOST_CHECK(std::isinf(y[2]) && y[2] > 0);
    BOOST_CHECK_EQUAL(y[3], 4);
  };
  check("r c -> r", {{"r", 4}, {"c", 3}}, rows);
  check("c r -> r", {{"c", 3}, {"r", 4}}, columns);
}

BOOST_AUTO_TEST_CASE(describes_itself) {
  const TensorType x{{{"batch", 2}, {"seq", 3}, {"hidden", 4}}, DType::kF32};
  const std::span<const TensorType> inputs(&x, 1);
  const Reduce mean("batch seq hidden -> batch hidden", Reduction::kMean);
  const OutputSpecs outputs = mean.outputs(inputs);
  BOOST_CHECK(outputs[0].type.shape == (Shape{{"batch", 2}, {"hidden", 4}}));
  BOOST_CHECK_EQUAL(mean.forward_work(inputs).flops().value(), 24);
  BOOST_CHECK_EQUAL(mean.backward_work(inputs, 1)[0].flops().value(), 24);
  BOOST_CHECK_EQUAL(mean.saved().inputs.size() + mean.saved().outputs.size(), 0U);
  const Reduce sum("batch seq hidden -> batch hidden", Reduction::kSum);
  BOOST_CHECK_EQUAL(sum.forward_work(inputs).flops().value(), 24 - 8);
  BOOST_CHECK_EQUAL(sum.backward_work(inputs, 1)[0].flops().value(), 0);
  const Reduce max("batch seq hidden -> batch hidden", Reduction::kMax);
  BOOST_CHECK_EQUAL(max.saved().inputs.size() + max.saved().outputs.size(), 2U);
  BOOST_CHECK_EQUAL(max.backward_workspace(inputs, 1).value(), 8 * 4);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit) {
  const TensorType x{{{"a", 2}, {"b", 3}}, DType::kF32};
  BOOST_CHECK_THROW(Reduce("a, b -> a", Reduction::kSum), ShapeError);
  BOOST_CHECK_THROW((void)Reduce("a b c -> a", Reduction::kSum).outputs({&x, 1}), ShapeError);
  BOOST_CHECK_THROW((void)Reduce("a b -> a", Reduction::kSum).outputs({}), ShapeError);
  const TensorType empty{{{"a", 2}, {"b", 0}}, DType::kF32};
  BOOST_CHECK_THROW((void)Reduce("a b -> a", Reduction::kMax).outputs({&empty, 1}), ShapeError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
