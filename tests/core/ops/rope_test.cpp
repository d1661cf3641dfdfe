#include "core/ops/rope.h"

#include "core/describe/error.h"
#include "tests/support/compare.h"
#include "tests/support/kernel_call.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <numbers>
#include <utility>

namespace headroom::test {
namespace {

using Options = ops::Rope::Options;
using ops::RopePairs;

BOOST_AUTO_TEST_SUITE(rope)

OpCase rope_case(const std::string& name,
                 const Options& options,
                 const Operand& x,
                 std::vector<double> upstream) {
  return {.name = name,
          .make = [options] { return std::make_unique<ops::Rope>(options); },
          .operands = {x},
          .upstream = std::move(upstream)};
}

OpCase some_case(const std::string& name,
                 const Options& options,
                 std::int64_t batch,
                 std::int64_t time,
                 std::int64_t columns) {
  const Shape shape{{"batch", batch}, {"time", time}, {"columns", columns}};
  return rope_case(name, options, some_operand(shape, 1), some_values(shape.numel(), 2));
}

Options options_of(const nlohmann::json& node) {
  Options options{
      .heads = node.at("heads").get<std::int64_t>(),
      .head_dim = node.at("head_dim").get<std::int64_t>(),
      .pairs = node.at("interleaved").get<bool>() ? RopePairs::kNeighbours : RopePairs::kHalves,
      .theta = node.at("theta").get<double>(),
      .first_position = node.at("first_position").get<std::int64_t>()};
  const auto& scaling = node.at("scaling");
  const auto type = scaling.at("rope_type").get<std::string>();
  if (type == "none") return options;
  options.factor = scaling.at("factor").get<double>();
  options.scaling = RopeScaling::kLinear;
  if (type == "llama3") {
    options.scaling = RopeScaling::kLlama3;
    options.low_freq_factor = scaling.at("low_freq_factor").get<double>();
    options.high_freq_factor = scaling.at("high_freq_factor").get<double>();
    options.original_max_position = scaling.at("original_max_position").get<std::int64_t>();
  }
  return options;
}

// Positions up to 131071 among them; there f64 angles carry 131071 * 2^-53 = 1.5e-11 of rounding.
BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  for (const auto& node : load_reference("rope").at("cases")) {
    const Options options = options_of(node);
    const ReferenceTensor x = tensor_of(node.at("x"));
    const OpCase test = rope_case(node.at("name").get<std::string>(), options,
                                  {x.shape(), x.values}, tensor_of(node.at("grad_y")).values);
    const auto frequencies = ops::Rope(options).frequencies();
    const std::vector<double> expected = tensor_of(node.at("frequencies")).values;
    check_each_close({frequencies.begin(), frequencies.begin() + options.head_dim / 2}, expected,
                     1e-15, test.name + " frequencies");
    const double f64_tolerance = options.first_position > 1000 ? 1e-10 : 1e-14;
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      const OpResult got = run_op(test, {.dtype = dtype});
      const double tolerance = dtype == DType::kF64 ? f64_tolerance : 3e-7;
      check_close(got.output, tensor_of(values.at("y")).values, tolerance, test.name);
      check_close(got.gradients[0], tensor_of(values.at("grad_x")).values, tolerance,
                  test.name + " gradient");
    }
  }
}

const std::vector<Options>& some_options() {
  static const std::vector<Options> all = {
      {.heads = 2, .head_dim = 4},
      {.heads = 2, .head_dim = 4, .pairs = RopePairs::kNeighbours},
      {.heads = 1, .head_dim = 6, .scaling = RopeScaling::kLinear, .factor = 2},
      {.heads = 1,
       .head_dim = 4,
       .first_position = 7,
       .scaling = RopeScaling::kLlama3,
       .factor = 8,
       .original_max_position = 16}};
  return all;
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  for (const Options& options : some_options()) {
    const std::int64_t turned = options.heads * options.head_dim;
    check_op(some_case("all columns", options, 2, 3, turned));
    check_op(some_case("leading heads", options, 2, 3, turned + 2 * options.head_dim));
  }
}

/// Forward and backward of the op alone, called directly: no other op of the step takes part.
OpResult run_kernels(const OpCase& test, DType dtype) {
  KernelCall forward(test, Pass::kForward, dtype, true);
  forward.run();
  KernelCall backward(test, Pass::kBackward, dtype, true);
  const std::size_t inputs = test.operands.size();
  const std::size_t outputs = forward.call().writes.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    if (!backward.call().reads[inputs + i].none()) {
      backward.set_read(inputs + i, forward.written(i));
    }
  }
  backward.set_read(inputs + outputs, test.upstream);
  backward.run();
  OpResult result{.output = forward.written(0), .gradients = {}};
  for (std::size_t i = 0; i < inputs; ++i) result.gradients.push_back(backward.written(i));
  return result;
}

// Only the results are rounded, to 8 (bf16) or 11 (f16) bits.
BOOST_AUTO_TEST_CASE(works_on_16_bits) {
  for (const Options& options : some_options()) {
    OpCase test = some_case("rope", options, 2, 3, 2 * options.heads * options.head_dim);
    for (double& v : test.operands[0].values) v = std::round(v * 64) / 64;
    for (double& v : test.upstream) v = std::round(v * 64) / 64;
    const OpResult exact = run_op(test);
    for (const auto& [dtype, tolerance] :
         {std::pair{DType::kBf16, std::ldexp(1, -8)}, {DType::kF16, std::ldexp(1, -11)}}) {
      const OpResult got = run_kernels(test, dtype);
      check_close(got.output, exact.output, tolerance, std::string(name(dtype)));
      check_close(got.gradients[0], exact.gradients[0], tolerance,
                  std::string(name(dtype)) + " gradient");
    }
  }
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  for (RopePairs pairs : {RopePairs::kHalves, RopePairs::kNeighbours}) {
    check_large(some_case("rope", {.heads = 9, .head_dim = 26, .pairs = pairs}, 3, 101, 11 * 26));
  }
}

// Turning keeps the length of every pair, and scores depend on distances only.
BOOST_AUTO_TEST_CASE(scores_depend_on_the_distance_only) {
  const auto score = [](std::int64_t query, std::int64_t key) {
    const auto turned = [](std::int64_t position, std::vector<double> values) {
      const Operand x{{{"b", 1}, {"t", 1}, {"c", 4}}, std::move(values)};
      const Options options{.heads = 1, .head_dim = 4, .first_position = position};
      return run_op(rope_case("x", options, x, {1, 1, 1, 1})).output;
    };
    const auto q = turned(query, {1, 2, 3, 4});
    const auto k = turned(key, {0.5, -1, 2, 0.25});
    return q[0] * k[0] + q[1] * k[1] + q[2] * k[2] + q[3] * k[3];
  };
  BOOST_CHECK_CLOSE(score(0, 0), 0.5 - 2 + 6 + 1, 1e-12);
  BOOST_CHECK_CLOSE(score(5, 2), score(1005, 1002), 1e-9);
}

// One pair turned by one radian a position.
BOOST_AUTO_TEST_CASE(turns_by_the_angle) {
  const Operand x{{{"b", 1}, {"t", 3}, {"c", 3 * 2}},
                  {1, 0, 0, 1, 5, 6, 1, 0, 0, 1, 5, 6, 1, 0, 0, 1, 5, 6}};
  const Options options{.heads = 2, .head_dim = 2};
  const OpResult got = run_op(rope_case("radians", options, x, some_values(18, 1)));
  std::vector<double> expected;
  for (int t = 0; t < 3; ++t) {
    for (double v : {std::cos(t), std::sin(t), -std::sin(t), std::cos(t), 5.0, 6.0}) {
      expected.push_back(v);
    }
  }
  check_close(got.output, expected, 1e-15, "radians");
}

// Llama 3.1: wavelengths under 8192/4 stay, above 8192 they are 8 times as long.
BOOST_AUTO_TEST_CASE(llama3_scaling_divides_low_frequencies_only) {
  const Options plain{.heads = 1, .head_dim = 128, .theta = 500000};
  Options scaled = plain;
  scaled.scaling = RopeScaling::kLlama3;
  scaled.factor = 8;
  const auto before = ops::Rope(plain).frequencies();
  const auto after = ops::Rope(scaled).frequencies();
  int kept = 0, divided = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double wavelength = 2 * std::numbers::pi / before[i];
    if (wavelength < 2048) kept += after[i] == before[i] ? 1 : -100;
    if (wavelength > 8192) divided += after[i] == before[i] / 8 ? 1 : -100;
    BOOST_CHECK(after[i] <= before[i] && after[i] >= before[i] / 8 * (1 - 1e-15));
  }
  // 500000^(2i/128) * 2 pi < 2048 for i < 28.2, > 8192 for i > 34.98.
  BOOST_CHECK_EQUAL(kept, 29);
  BOOST_CHECK_EQUAL(divided, 29);
}

BOOST_AUTO_TEST_CASE(describes_itself) {
  const ops::Rope op({.heads = 3, .head_dim = 4});
  const std::vector<TensorType> inputs = {{{{"b", 2}, {"t", 5}, {"c", 20}}, DType::kF32}};
  BOOST_CHECK_EQUAL(op.outputs(inputs)[0].type.bytes().value(), 2 * 5 * 20 * 4);
  BOOST_CHECK(op.saved().inputs.empty() && op.saved().outputs.empty());
  BOOST_CHECK_EQUAL(op.forward_work(inputs).flops().value(), 3 * 2 * 5 * 12);
  BOOST_CHECK_EQUAL(op.forward_workspace(inputs).value(), 5 * 4 * 4);
  BOOST_CHECK_EQUAL(op.forward_in_place()[0].read, 0);
  BOOST_CHECK_EQUAL(op.backward_in_place(1, 1)[0].read, 2);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit) {
  const auto refuses = [](const Options& options, const Shape& shape) {
    const std::vector<TensorType> inputs = {{shape, DType::kF32}};
    BOOST_CHECK_THROW((void)ops::Rope(options).outputs(inputs), ShapeError);
  };
  const Shape good{{"b", 2}, {"t", 5}, {"c", 20}};
  refuses({.heads = 6, .head_dim = 4}, good);
  refuses({.heads = 2, .head_dim = 6}, good);
  refuses({.heads = 2, .head_dim = 4}, {{"t", 5}, {"c", 20}});
  refuses({.heads = 0, .head_dim = 4}, good);
  refuses({.heads = 4, .head_dim = 5}, good);
  refuses({.heads = 1, .head_dim = 258}, {{"b", 1}, {"t", 1}, {"c", 258}});
  refuses({.heads = 1, .head_dim = 4, .theta = 0}, good);
  refuses({.heads = 1, .head_dim = 4, .first_position = -1}, good);
  refuses({.heads = 1, .head_dim = 4, .scaling = RopeScaling::kLinear, .factor = 0}, good);
  refuses({.heads = 1,
           .head_dim = 4,
           .scaling = RopeScaling::kLlama3,
           .low_freq_factor = 4,
           .high_freq_factor = 4},
          good);
  OpCase loss = some_case("loss", {.heads = 1, .head_dim = 2}, 1, 1, 2);
  loss.upstream.clear();
  BOOST_CHECK_THROW((void)run_op(loss), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
