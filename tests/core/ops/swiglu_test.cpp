#include "core/ops/swiglu.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

using ops::SwiGlu;

BOOST_AUTO_TEST_SUITE(swiglu)

OpCase swiglu_case(Operand gate, Operand up, std::vector<double> upstream) {
  return {.name = "swiglu " + to_string(gate.shape),
          .make = [] { return std::make_unique<SwiGlu>(); },
          .operands = {std::move(gate), std::move(up)},
          .upstream = std::move(upstream)};
}

OpCase some_case(const Shape& shape) {
  return swiglu_case(some_operand(shape, 1), some_operand(shape, 2), some_values(shape.numel(), 3));
}

BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  for (const auto& node : load_reference("swiglu").at("cases")) {
    const ReferenceTensor gate = tensor_of(node.at("gate"));
    const ReferenceTensor up = tensor_of(node.at("up"));
    const OpCase test = swiglu_case({gate.shape(), gate.values}, {up.shape(), up.values},
                                    tensor_of(node.at("grad_y")).values);
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      check_expected(test, dtype,
                     {.output = tensor_of(values.at("y")).values,
                      .gradients = {tensor_of(values.at("grad_gate")).values,
                                    tensor_of(values.at("grad_up")).values}});
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  check_op(some_case({{"b", 3}, {"f", 7}}));
  check_op(some_case({{"b", 2}, {"t", 2}, {"f", 5}}));
  for (const std::size_t frozen : {0U, 1U}) {
    OpCase test = some_case({{"b", 3}, {"f", 7}});
    test.operands[frozen].gradient = false;
    check_op(test);
  }
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) { check_large(some_case({{"b", 97}, {"f", 1031}})); }

BOOST_AUTO_TEST_CASE(wrong_shapes_are_named) {
  const TensorType x{{{"b", 3}, {"f", 7}}, DType::kF32};
  const auto fails = [](const std::vector<TensorType>& operands, std::string_view part) {
    expect_error<ShapeError>([&] { (void)SwiGlu().outputs(operands); }, part);
  };
  fails({x}, "[swiglu] operands: got 1, expected gate, up");
  fails({x, {{{"b", 3}, {"f", 6}}, DType::kF32}}, "[swiglu] up: got (b 3, f 6)");
  fails({x, {x.shape, DType::kF64}}, "[swiglu] up dtype: got f64, expected f32");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
