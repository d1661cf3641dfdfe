#include "core/ops/cast.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/kernel_call.h"
#include "tests/support/op_check.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

using ops::Cast;

BOOST_AUTO_TEST_SUITE(cast)

OpCase cast_case(const Shape& shape, DType to) {
  return {.name = "cast to " + std::string(name(to)),
          .make = [=] { return std::make_unique<Cast>(to); },
          .operands = {some_operand(shape, 1)},
          .upstream = some_values(shape.numel(), 2)};
}

BOOST_AUTO_TEST_CASE(rounds_to_f32_and_back) {
  OpCase test = cast_case({{"n", 4}}, DType::kF32);
  test.operands[0].values = {1.0 + 0x1p-24, 1.0 + 0x1.8p-23, -0.1, 3.0};
  const OpResult got = run_op(test);
  // A tie goes to the even neighbour.
  BOOST_CHECK(got.output == (std::vector<double>{1.0, 1.0 + 0x1p-22, -0x1.99999ap-4, 3.0}));
  BOOST_CHECK(got.gradients[0] == test.upstream);
}

BOOST_AUTO_TEST_CASE(widens_exactly) {
  OpCase test = cast_case({{"n", 3}}, DType::kF64);
  test.upstream = {0.1, 1.0, -2.0};
  const OpResult got = run_op(test, {.dtype = DType::kF32});
  BOOST_CHECK(got.output == test.operands[0].values);
  BOOST_CHECK(got.gradients[0] == (std::vector<double>{0x1.99999ap-4, 1.0, -2.0}));
}

// Codes from the definition of the formats: 8 and 11 significant bits, ties to even.
BOOST_AUTO_TEST_CASE(rounds_to_sixteen_bits) {
  OpCase test = cast_case({{"n", 4}}, DType::kBf16);
  test.operands[0].values = {1.0 + 0x1p-8, 1.0 + 0x1.8p-7, -3.140625, 0x1p100};
  KernelCall to_bf16(test, Pass::kForward, DType::kF32);
  to_bf16.run();
  BOOST_CHECK(to_bf16.written(0) == (std::vector<double>{1.0, 1.0 + 0x1p-6, -3.140625, 0x1p100}));
  test = cast_case({{"n", 4}}, DType::kF16);
  test.operands[0].values = {1.0 + 0x1p-11, 1.0 + 0x1.8p-10, -3.140625, 0x1p-24};
  KernelCall to_f16(test, Pass::kForward, DType::kF32);
  to_f16.run();
  BOOST_CHECK(to_f16.written(0) == (std::vector<double>{1.0, 1.0 + 0x1p-9, -3.140625, 0x1p-24}));
  test = cast_case({{"n", 4}}, DType::kF32);
  test.operands[0].values = {1.0, 1.0 + 0x1p-7, -3.140625, 0x1p100};
  KernelCall widen(test, Pass::kForward, DType::kBf16);
  widen.run();
  BOOST_CHECK(widen.written(0) == test.operands[0].values);
  test.operands[0].activation = true;  // the gradient of a parameter would be f32
  KernelCall back(test, Pass::kBackward, DType::kBf16);
  back.set_read(2, {1.0 + 0x1p-8, 0.5, -3.140625, 0.0});
  back.run();
  BOOST_CHECK(back.written(0) == (std::vector<double>{1.0, 0.5, -3.140625, 0.0}));
}

BOOST_AUTO_TEST_CASE(step_behaviour) {
  for (const DType to : {DType::kF32, DType::kF64}) {
    check_step_behaviour(cast_case({{"b", 3}, {"c", 7}}, to));
    check_large(cast_case({{"b", 97}, {"c", 1031}}, to));
  }
}

BOOST_AUTO_TEST_CASE(wrong_dtypes_are_named) {
  const TensorType x{{{"n", 3}}, DType::kF32};
  const TensorType classes{{{"n", 3}}, DType::kI32};
  expect_error<ShapeError>([&] { (void)Cast(DType::kF64).outputs({}); }, "[cast] operands: got 0");
  expect_error<ShapeError>(
      [&] { (void)Cast(DType::kF64).outputs(std::vector<TensorType>{classes}); },
      "[cast] x dtype: got i32, expected f64, f32, bf16 or f16");
  expect_error<ShapeError>([&] { (void)Cast(DType::kI32).outputs(std::vector<TensorType>{x}); },
                           "[cast] result dtype: got i32");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
