#include "core/describe/error.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/mse.h"
#include "tests/support/compare.h"
#include "tests/support/kernel_call.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>

namespace headroom::test {
namespace {

using ops::CrossEntropy;
using ops::MeanSquaredError;

BOOST_AUTO_TEST_SUITE(losses)

OpCase mse_case(std::string name,
                Operand prediction,
                std::vector<double> target,
                double scale = 1) {
  const Shape shape = prediction.shape;
  return {.name = std::move(name),
          .make = [scale] { return std::make_unique<MeanSquaredError>(scale); },
          .operands = {std::move(prediction), {shape, std::move(target), false}},
          .upstream = {}};
}

OpCase cross_entropy_case(std::string name,
                          Operand logits,
                          std::vector<double> target,
                          double scale = 1) {
  Shape rows;
  for (std::size_t d = 0; d + 1 < logits.shape.rank(); ++d) rows.append(logits.shape[d]);
  return {.name = std::move(name),
          .make = [scale] { return std::make_unique<CrossEntropy>(scale); },
          .operands = {std::move(logits), {rows, std::move(target), false, true}},
          .upstream = {}};
}

std::vector<double> some_classes(std::int64_t rows, std::int64_t classes) {
  std::vector<double> target;
  for (std::int64_t r = 0; r < rows; ++r)
    target.push_back(static_cast<double>((r * 7 + 3) % classes));
  return target;
}

BOOST_AUTO_TEST_CASE(mse_agrees_with_pytorch) {
  for (const auto& node : load_reference("losses").at("mse")) {
    const ReferenceTensor prediction = tensor_of(node.at("pred"));
    const double scale = node.at("grad_loss").get<double>();
    const OpCase test =
        mse_case(node.at("name").get<std::string>(), {prediction.shape(), prediction.values},
                 tensor_of(node.at("target")).values, scale);
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      // Our loss carries the scale that PyTorch's upstream gradient stands for.
      const double loss = tensor_of(values.at("loss")).values[0] * scale;
      check_expected(
          test, dtype,
          {.output = {loss}, .gradients = {tensor_of(values.at("grad_pred")).values, {}}});
    }
  }
}

BOOST_AUTO_TEST_CASE(cross_entropy_agrees_with_pytorch) {
  for (const auto& node : load_reference("losses").at("cross_entropy")) {
    const ReferenceTensor logits = tensor_of(node.at("logits"));
    const double scale = node.at("grad_loss").get<double>();
    const OpCase test =
        cross_entropy_case(node.at("name").get<std::string>(), {logits.shape(), logits.values},
                           tensor_of(node.at("target")).values, scale);
    double largest = 1;
    for (double v : logits.values) largest = std::max(largest, std::abs(v));
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      const OpResult got = run_op(test, {.dtype = dtype});
      // The loss is a difference of log-sum-exp and logit: its rounding is that of the logits.
      const double unit = dtype == DType::kF64 ? 0x1p-53 : 0x1p-24;
      check_close(got.output, {tensor_of(values.at("loss")).values[0] * scale}, 8 * unit,
                  test.name + " loss", largest);
      check_close(got.gradients[0], tensor_of(values.at("grad_logits")).values, 8 * unit * largest,
                  test.name + " gradient", 1.0);
    }
  }
}

BOOST_AUTO_TEST_CASE(log_sum_exp_agrees_with_pytorch) {
  for (const auto& node : load_reference("losses").at("cross_entropy")) {
    const ReferenceTensor logits = tensor_of(node.at("logits"));
    const OpCase test =
        cross_entropy_case(node.at("name").get<std::string>(), {logits.shape(), logits.values},
                           tensor_of(node.at("target")).values);
    for (DType dtype : {DType::kF64, DType::kF32}) {
      KernelCall call(test, Pass::kForward, dtype);
      call.run();
      const auto& values = node.at(std::string(name(dtype)));
      check_close(call.written(CrossEntropy::kLogSumExp),
                  tensor_of(values.at("log_sum_exp")).values, dtype == DType::kF64 ? 1e-15 : 2e-7,
                  test.name + " log-sum-exp", 1.0);
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  check_op(mse_case("mse", some_operand({{"b", 5}, {"k", 3}}, 1), some_values(15, 2), 0.25));
  check_op(mse_case("mse of one", some_operand({{"b", 1}}, 3), some_values(1, 4)));
  check_op(cross_entropy_case("ce", some_operand({{"b", 5}, {"classes", 7}}, 5), some_classes(5, 7),
                              0.5));
  check_op(cross_entropy_case("ce three dimensions",
                              some_operand({{"b", 2}, {"t", 3}, {"classes", 4}}, 6),
                              some_classes(6, 4)));
  check_op(cross_entropy_case("ce one row", some_operand({{"b", 1}, {"classes", 9}}, 7),
                              some_classes(1, 9)));
  check_op(
      cross_entropy_case("ce one class", some_operand({{"b", 3}, {"classes", 1}}, 8), {0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  check_large(
      mse_case("mse", some_operand({{"b", 301}, {"k", 257}}, 1), some_values(301 * 257, 2)));
  check_large(cross_entropy_case("ce", some_operand({{"b", 301}, {"classes", 257}}, 5),
                                 some_classes(301, 257)));
}

// With uniform logits the loss is the logarithm of the number of classes, whatever their size.
BOOST_AUTO_TEST_CASE(uniform_logits_cost_the_log_of_the_classes) {
  for (double level : {0.0, -300.0, 1000.0}) {
    const Operand logits{{{"b", 3}, {"classes", 50}}, std::vector<double>(150, level)};
    const OpResult got = run_op(cross_entropy_case("uniform", logits, {0, 7, 49}));
    BOOST_CHECK_SMALL(got.output[0] - std::log(50.0), 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(a_class_that_does_not_exist_makes_the_loss_nan) {
  for (double wrong : {-1.0, 4.0, 1e9}) {
    const OpCase test =
        cross_entropy_case("wrong", some_operand({{"b", 2}, {"classes", 4}}, 3), {1, wrong});
    BOOST_CHECK_THROW((void)run_op(test), runtime::Diverged);
  }
}

BOOST_AUTO_TEST_CASE(gradients_of_every_row_sum_to_zero) {
  const OpResult got = run_op(
      cross_entropy_case("ce", some_operand({{"b", 4}, {"classes", 11}}, 9), some_classes(4, 11)));
  for (std::size_t row = 0; row < 4; ++row) {
    double sum = 0;
    for (std::size_t c = 0; c < 11; ++c) sum += got.gradients[0][row * 11 + c];
    BOOST_CHECK_SMALL(sum, 1e-15);
  }
}

BOOST_AUTO_TEST_CASE(describes_itself) {
  const TensorType logits{{{"b", 6}, {"classes", 10}}, DType::kF32};
  const TensorType target{{{"b", 6}}, DType::kI32};
  const std::array inputs{logits, target};
  const CrossEntropy op(1);
  const OutputSpecs outputs = op.outputs(inputs);
  BOOST_REQUIRE_EQUAL(outputs.size(), 2U);
  BOOST_CHECK(!outputs[0].statistic);
  BOOST_CHECK(outputs[1].statistic);
  BOOST_CHECK_EQUAL(outputs[1].type.bytes().value(), 6 * 4);
  BOOST_CHECK_EQUAL(op.forward_work(inputs).flops().value(), 4 * 60 + 4 * 6);
  BOOST_CHECK_EQUAL(op.backward_work(inputs, 1)[0].flops().value(), 4 * 60);
  BOOST_CHECK(!op.differentiable(CrossEntropy::kTarget));
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit) {
  using Inputs = std::vector<TensorType>;
  const TensorType logits{{{"b", 6}, {"classes", 10}}, DType::kF32};
  const CrossEntropy op(1);
  BOOST_CHECK_THROW((void)op.outputs(Inputs{logits}), ShapeError);
  BOOST_CHECK_THROW((void)op.outputs(Inputs{logits, {{{"b", 5}}, DType::kI32}}), ShapeError);
  BOOST_CHECK_THROW((void)op.outputs(Inputs{logits, {{{"b", 6}}, DType::kF32}}), ShapeError);
  BOOST_CHECK_THROW((void)op.outputs(Inputs{{Shape{}, DType::kF32}, {Shape{}, DType::kI32}}),
                    ShapeError);
  BOOST_CHECK_THROW((void)MeanSquaredError(1).outputs(Inputs{logits, {{{"b", 6}}, DType::kF32}}),
                    ShapeError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
