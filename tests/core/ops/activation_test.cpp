#include "core/ops/activation.h"

#include "core/describe/error.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom::test {
namespace {

using ops::Activation;

BOOST_AUTO_TEST_SUITE(activation)

OpCase activation_case(ActivationKind kind, Operand x, std::vector<double> upstream) {
  return {.name = std::string(name(kind)),
          .make = [kind] { return std::make_unique<Activation>(kind); },
          .operands = {std::move(x)},
          .upstream = std::move(upstream)};
}

/// Each value within a relative tolerance of its own. The absolute part allows for cancellation in
/// 1 + erf and 1 + tanh, which at x = -4 leaves 1e-4 of a rounding unit of 1, times |x| and dy.
void check_values(const std::vector<double>& got,
                  const std::vector<double>& expected,
                  const std::vector<double>& x,
                  double unit,
                  const std::string& what) {
  BOOST_REQUIRE_EQUAL(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double allowed =
        40 * unit * std::abs(expected[i]) + 20 * unit * std::min(std::abs(x[i]), 20.0);
    BOOST_CHECK_MESSAGE(
        std::abs(got[i] - expected[i]) <= allowed,
        what << " at x = " << x[i] << ": got " << got[i] << ", expected " << expected[i]);
  }
}

BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  const auto reference = load_reference("activations");
  const ReferenceTensor x = tensor_of(reference.at("x"));
  const std::vector<double> upstream = tensor_of(reference.at("grad_y")).values;
  for (const auto& node : reference.at("cases")) {
    const auto kind = from_name<ActivationKind>(node.at("name").get<std::string>());
    BOOST_REQUIRE(kind);
    const OpCase test = activation_case(*kind, {x.shape(), x.values}, upstream);
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      const OpResult got = run_op(test, {.dtype = dtype});
      const double unit = dtype == DType::kF64 ? 0x1p-53 : 0x1p-24;
      check_values(got.output, tensor_of(values.at("y")).values, x.values, unit,
                   test.name + " value");
      check_values(got.gradients[0], tensor_of(values.at("grad_x")).values, x.values, unit,
                   test.name + " gradient");
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  for (const Choice& choice : choices<ActivationKind>()) {
    const ActivationKind kind = *from_name<ActivationKind>(choice.name);
    check_op(activation_case(kind, some_operand({{"b", 3}, {"c", 7}}, 5), some_values(21, 6)));
    check_op(activation_case(kind, some_operand({{"b", 1}}, 7), some_values(1, 8)));
    check_step_behaviour(activation_case(kind, some_operand({{"b", 97}, {"c", 1031}}, 9),
                                         some_values(97 * 1031, 1)));
  }
}

BOOST_AUTO_TEST_CASE(relu_keeps_its_output_and_the_others_their_input) {
  BOOST_CHECK_EQUAL(Activation(ActivationKind::kRelu).saved().inputs.size(), 0U);
  BOOST_CHECK_EQUAL(Activation(ActivationKind::kRelu).saved().outputs.size(), 1U);
  BOOST_CHECK_EQUAL(Activation(ActivationKind::kGelu).saved().inputs.size(), 1U);
  BOOST_CHECK_EQUAL(Activation(ActivationKind::kGelu).saved().outputs.size(), 0U);
  BOOST_CHECK_THROW((void)Activation(ActivationKind::kRelu).outputs({}), ShapeError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
