#include "core/describe/error.h"
#include "core/ops/layer_norm.h"
#include "core/ops/rms_norm.h"
#include "tests/support/compare.h"
#include "tests/support/expect.h"
#include "tests/support/kernel_call.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <utility>

namespace headroom::test {
namespace {

using ops::LayerNorm;
using ops::RmsNorm;

BOOST_AUTO_TEST_SUITE(norm)

std::unique_ptr<ops::Norm> make_norm(bool layer, double eps, bool residual, bool bias = true) {
  if (layer) {
    return std::make_unique<LayerNorm>(
        LayerNorm::Options{.eps = eps, .bias = bias, .residual = residual});
  }
  return std::make_unique<RmsNorm>(RmsNorm::Options{.eps = eps, .residual = residual});
}

OpCase norm_case(bool layer, Shape x, bool residual, bool bias = true, double eps = 1e-5) {
  const Shape columns{x.back()};
  OpCase test{.name = std::string(layer ? "layer norm" : "rms norm") +
                      (residual ? " residual " : " ") + to_string(x),
              .make = [=] { return make_norm(layer, eps, residual, bias); },
              .operands = {some_operand(x, 1)},
              .upstream = some_values(x.numel(), 2)};
  if (residual) {
    test.operands.push_back(some_operand(x, 3));
    test.more_upstream = {some_values(x.numel(), 4)};
  }
  test.operands.push_back(some_operand(columns, 5));
  if (layer && bias) test.operands.push_back(some_operand(columns, 6));
  return test;
}

BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  const auto reference = load_reference("norms");
  for (const bool layer : {true, false}) {
    for (const auto& node : reference.at(layer ? "layer_norm" : "rms_norm")) {
      const bool residual = node.at("residual_form").get<bool>();
      const double eps = node.at("eps").get<double>();
      OpCase test{.name = node.at("name").get<std::string>(),
                  .make = [=] { return make_norm(layer, eps, residual); },
                  .operands = {},
                  .upstream = tensor_of(node.at("grad_y")).values};
      std::vector<std::string> operands = {"x", "weight"};
      if (residual) operands.insert(operands.begin() + 1, "residual");
      if (layer) operands.emplace_back("bias");
      for (const std::string& name : operands) {
        const ReferenceTensor tensor = tensor_of(node.at(name));
        test.operands.push_back({tensor.shape(), tensor.values});
      }
      if (residual) test.more_upstream = {tensor_of(node.at("grad_sum")).values};
      for (DType dtype : {DType::kF64, DType::kF32}) {
        const auto& values = node.at(std::string(name(dtype)));
        OpResult expected{.output = tensor_of(values.at("y")).values, .gradients = {}};
        for (const std::string& name : operands) {
          expected.gradients.push_back(tensor_of(values.at("grad_" + name)).values);
        }
        if (residual) expected.more_outputs = {tensor_of(values.at("sum")).values};
        check_expected(test, dtype, expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  for (const bool layer : {true, false}) {
    for (const bool residual : {false, true}) {
      check_op(norm_case(layer, {{"b", 3}, {"c", 7}}, residual));
      check_op(norm_case(layer, {{"b", 2}, {"t", 2}, {"c", 5}}, residual));
      check_op(norm_case(layer, {{"c", 6}}, residual));
    }
  }
  check_op(norm_case(true, {{"b", 3}, {"c", 7}}, false, false));
  check_op(norm_case(true, {{"b", 3}, {"c", 7}}, true, false));
}

// The last block's sum feeds nothing but its own norm.
BOOST_AUTO_TEST_CASE(the_sum_need_not_be_used) {
  for (const bool layer : {true, false}) {
    OpCase test = norm_case(layer, {{"b", 3}, {"c", 7}}, true);
    test.more_upstream.clear();
    check_op(test);
  }
}

BOOST_AUTO_TEST_CASE(only_the_gradients_asked_for) {
  for (std::size_t frozen : {0U, 1U, 2U, 3U}) {
    OpCase test = norm_case(true, {{"b", 3}, {"c", 7}}, true);
    test.operands[frozen].gradient = false;
    check_op(test);
  }
  OpCase test = norm_case(true, {{"b", 3}, {"c", 7}}, true);
  test.operands[0].gradient = false;
  test.operands[1].gradient = false;
  check_op(test);
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  for (const bool layer : {true, false}) {
    check_large(norm_case(layer, {{"b", 301}, {"c", 257}}, false));
    check_large(norm_case(layer, {{"b", 301}, {"c", 257}}, true));
  }
}

// With weight 1 and bias 0 a row has mean 0 and mean square 1; x = (0, 2) becomes (-1, 1), and its
// RMS norm (0, sqrt 2).
BOOST_AUTO_TEST_CASE(two_values_by_hand) {
  for (const bool layer : {true, false}) {
    OpCase test = norm_case(layer, {{"b", 1}, {"c", 2}}, false, true, 0.0);
    test.operands[0].values = {0, 2};
    test.operands[1].values = {1, 1};
    if (layer) test.operands[2].values = {0, 0};
    const std::vector<double> expected =
        layer ? std::vector<double>{-1, 1} : std::vector<double>{0, std::sqrt(2.0)};
    check_close(run_op(test).output, expected, 1e-15, test.name);
  }
}

/// Rounds to the nearest bf16, ties to even.
double to_bf16(double value) {
  return static_cast<double>(static_cast<float>(bf16(static_cast<float>(value))));
}

/// Half a unit of bf16, and on top what sums in f32 lose.
void check_rounded_once(const std::vector<double>& got,
                        const std::vector<double>& expected,
                        const std::string& what) {
  BOOST_REQUIRE_EQUAL(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    BOOST_CHECK_MESSAGE(std::abs(got[i] - expected[i]) <= std::abs(expected[i]) * 0x1.01p-8 + 2e-6,
                        what << "[" << i << "]: got " << got[i] << ", expected " << expected[i]);
  }
}

/// A case in bf16, and the same computation on the same numbers for f64: what is normalised is the
/// sum as it was rounded.
struct RoundedCase {
  OpCase rounded, exact;
};
RoundedCase rounded_case(bool layer, bool residual, bool f32_weights) {
  OpCase test = norm_case(layer, {{"b", 5}, {"c", 67}}, residual);
  const std::size_t weight = residual ? 2 : 1;
  for (std::size_t i = 0; i < test.operands.size(); ++i) {
    test.operands[i].activation = i < weight;
    if (i >= weight && f32_weights) {
      test.operands[i].dtype = DType::kF32;
    } else {
      for (double& v : test.operands[i].values) v = to_bf16(v);
    }
  }
  OpCase exact = test;
  for (Operand& operand : exact.operands) operand.dtype.reset();
  if (residual) {
    std::vector<double>& x = exact.operands[0].values;
    std::vector<double>& r = exact.operands[1].values;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = to_bf16(x[i] + r[i]);
      r[i] = 0;
    }
  }
  return {test, exact};
}

void check_sixteen_bits(bool layer, bool residual, bool f32_weights) {
  const auto [rounded, exact] = rounded_case(layer, residual, f32_weights);
  const std::size_t inputs = rounded.operands.size();
  const std::size_t statistics = residual ? 2 : 1;
  const std::size_t outputs = statistics + (layer ? 2 : 1);
  KernelCall narrow(rounded, Pass::kForward, DType::kBf16);
  narrow.run();
  KernelCall wide(exact, Pass::kForward);
  wide.run();
  check_rounded_once(narrow.written(0), wide.written(0), rounded.name);
  if (residual) BOOST_CHECK(narrow.written(1) == wide.written(1));
  for (std::size_t s = statistics; s < outputs; ++s) {
    check_close(narrow.written(s), wide.written(s), 1e-6, rounded.name + " statistic");
  }

  KernelCall narrow_back(rounded, Pass::kBackward, DType::kBf16);
  KernelCall wide_back(exact, Pass::kBackward);
  for (auto [call, forward] : {std::pair{&narrow_back, &wide}, std::pair{&wide_back, &wide}}) {
    for (std::size_t s = 1; s < outputs; ++s) call->set_read(inputs + s, forward->written(s));
    for (std::size_t g = 0; g < statistics; ++g) {
      std::vector<double> dy = some_values(5 * 67, 7 + static_cast<std::uint32_t>(g));
      for (double& v : dy) v = to_bf16(v);
      call->set_read(inputs + outputs + g, dy);
    }
    call->run();
  }
  check_rounded_once(narrow_back.written(0), wide_back.written(0), rounded.name + " dx");
  if (residual) BOOST_CHECK(narrow_back.written(1) == narrow_back.written(0));
  for (std::size_t i = statistics; i < inputs; ++i) {
    check_close(narrow_back.written(i), wide_back.written(i), 1e-6, rounded.name + " weights");
  }
}

// Against an f64 run on the rounded inputs.
BOOST_AUTO_TEST_CASE(sixteen_bits_are_rounded_once) {
  for (const bool layer : {true, false}) {
    for (const bool residual : {false, true}) {
      for (const bool f32_weights : {false, true}) {
        check_sixteen_bits(layer, residual, f32_weights);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(wrong_shapes_are_named) {
  const TensorType x{{{"b", 3}, {"c", 7}}, DType::kF32};
  const TensorType c{{{"c", 7}}, DType::kF32};
  const TensorType short_c{{{"c", 6}}, DType::kF32};
  const auto fails = [](const ops::Norm& norm, std::vector<TensorType> operands,
                        std::string_view part) {
    expect_error<ShapeError>([&] { (void)norm.outputs(operands); }, part);
  };
  const LayerNorm layer({});
  const LayerNorm fused({.residual = true});
  const RmsNorm rms({});
  fails(layer, {x, c}, "[layer_norm] operands: got 2, expected x, weight, bias");
  fails(rms, {x, c, c}, "[rms_norm] operands: got 3, expected x, weight");
  fails(layer, {x, short_c, c}, "[layer_norm] weight: got (c 6), expected (7)");
  fails(layer, {x, c, short_c}, "[layer_norm] bias: got (c 6)");
  fails(rms, {x, x}, "[rms_norm] weight: got (b 3, c 7)");
  fails(rms, {{Shape{}, DType::kF32}, c}, "[rms_norm] x: got");
  fails(fused, {x, c, c, c}, "[layer_norm] residual: got (c 7)");
  fails(fused, {x, {x.shape, DType::kF64}, c, c}, "residual dtype: got f64, expected f32");
  fails(rms, {x, {c.shape, DType::kF64}}, "[rms_norm] weight dtype: got f64, expected f32");
  fails(layer, {{x.shape, DType::kBf16}, c, {c.shape, DType::kBf16}},
        "bias dtype: got bf16, expected f32 as the weight");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
