#include "core/ops/dropout.h"

#include "core/describe/error.h"
#include "tests/support/compare.h"
#include "tests/support/expect.h"
#include "tests/support/kernel_call.h"
#include "tests/support/op_check.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom::test {
namespace {

using ops::Dropout;

BOOST_AUTO_TEST_SUITE(dropout)

OpCase dropout_case(const Shape& shape, Dropout::Options options) {
  OpCase test{.name = "dropout " + to_string(shape),
              .make = [=] { return std::make_unique<Dropout>(options); },
              .operands = {some_operand(shape, 1)},
              .upstream = some_values(shape.numel(), 2)};
  if (options.residual) test.operands.push_back(some_operand(shape, 3));
  return test;
}

/// 0 where an element of a call was dropped, otherwise what it was multiplied with.
std::vector<double> mask(std::int64_t count,
                         Dropout::Options options,
                         const runtime::Scalars& scalars = {}) {
  OpCase test = dropout_case({{"n", count}}, options);
  test.operands[0].values.assign(static_cast<std::size_t>(count), 1.0);
  KernelCall call(test, Pass::kForward);
  call.set_scalars(scalars);
  call.run();
  return call.written(0);
}

BOOST_AUTO_TEST_CASE(drops_its_share_and_scales_the_rest) {
  const std::int64_t count = 200000;
  for (const double p : {0.1, 0.5, 0.9}) {
    double dropped = 0;
    for (const double v : mask(count, {.p = p})) {
      if (v == 0) {
        ++dropped;
      } else {
        BOOST_REQUIRE_CLOSE_FRACTION(v, 1 / (1 - p), 1e-15);
      }
    }
    const auto n = static_cast<double>(count);
    BOOST_CHECK_SMALL(dropped / n - p, 5 * std::sqrt(p * (1 - p) / n));
  }
  for (const double v : mask(5000, {.p = 0})) BOOST_REQUIRE_EQUAL(v, 1.0);
}

// Neighbours, and elements that share a block of random words, are dropped independently.
BOOST_AUTO_TEST_CASE(elements_are_independent) {
  const std::int64_t count = 1 << 18;
  const std::vector<double> m = mask(count, {.p = 0.5});
  for (const std::size_t distance : {1U, 2U, 4U, 1024U, 2048U, 3072U, 4096U}) {
    double equal = 0;
    const std::size_t pairs = m.size() - distance;
    for (std::size_t i = 0; i < pairs; ++i) equal += m[i] == m[i + distance] ? 1 : 0;
    const auto n = static_cast<double>(pairs);
    BOOST_CHECK_SMALL(equal / n - 0.5, 5 * 0.5 / std::sqrt(n));
  }
}

BOOST_AUTO_TEST_CASE(the_mask_depends_on_seed_step_micro_batch_and_instance_alone) {
  const Dropout::Options options{.p = 0.5};
  const runtime::Scalars base{.step = 7, .seed = 3, .micro_batch = 2};
  const std::vector<double> m = mask(5000, options, base);
  BOOST_CHECK(mask(5000, options, base) == m);
  runtime::Scalars other_rate = base;
  other_rate.learning_rate = 0.5;
  BOOST_CHECK(mask(5000, options, other_rate) == m);
  const auto share_equal = [&](const std::vector<double>& other) {
    double equal = 0;
    for (std::size_t i = 0; i < m.size(); ++i) equal += m[i] == other[i] ? 1 : 0;
    return equal / static_cast<double>(m.size());
  };
  const double bound = 5 * 0.5 / std::sqrt(5000.0);
  for (runtime::Scalars changed : {runtime::Scalars{.step = 8, .seed = 3, .micro_batch = 2},
                                   runtime::Scalars{.step = 7, .seed = 4, .micro_batch = 2},
                                   runtime::Scalars{.step = 7, .seed = 3, .micro_batch = 3},
                                   runtime::Scalars{.step = 2, .seed = 3, .micro_batch = 7}}) {
    BOOST_CHECK_SMALL(share_equal(mask(5000, options, changed)) - 0.5, bound);
  }
  BOOST_CHECK_SMALL(share_equal(mask(5000, {.p = 0.5, .instance = 1}, base)) - 0.5, bound);
  // Where an array ends changes nothing before its end.
  const std::vector<double> longer = mask(3 * 4096, options, base);
  for (const std::int64_t count : {1, 1023, 1025, 3000, 4095, 4096, 8191}) {
    const std::vector<double> start(longer.begin(), longer.begin() + count);
    BOOST_CHECK(mask(count, options, base) == start);
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  for (const bool residual : {false, true}) {
    const OpCase test = dropout_case({{"b", 5}, {"c", 7}}, {.p = 0.4, .residual = residual});
    check_gradients(test);
    for (const bool as_activations : {false, true}) check_ledger(test, as_activations);
  }
  for (const std::size_t frozen : {0U, 1U}) {
    OpCase test = dropout_case({{"b", 5}, {"c", 7}}, {.p = 0.4, .residual = true});
    test.operands[frozen].gradient = false;
    check_gradients(test);
  }
}

BOOST_AUTO_TEST_CASE(backward_drops_what_forward_dropped) {
  const Shape shape{{"n", 9000}};
  for (const bool residual : {false, true}) {
    const Dropout::Options options{.p = 0.4, .residual = residual};
    const OpCase test = dropout_case(shape, options);
    const std::vector<double> m = mask(9000, {.p = 0.4});
    for (const bool as_activations : {false, true}) {
      const OpResult got = run_op(test, {.as_activations = as_activations});
      std::vector<double> y;
      std::vector<double> dx;
      for (std::size_t i = 0; i < m.size(); ++i) {
        y.push_back(test.operands[0].values[i] * m[i] +
                    (residual ? test.operands[1].values[i] : 0));
        dx.push_back(test.upstream[i] * m[i]);
      }
      check_close(got.output, y, 1e-15, test.name);
      check_close(got.gradients[0], dx, 1e-15, test.name);
      if (residual) BOOST_CHECK(got.gradients[1] == test.upstream);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_micro_batch_has_a_mask_of_its_own) {
  const OpCase test = dropout_case({{"n", 5000}}, {.p = 0.4});
  std::vector<double> expected(5000, 0.0);
  for (std::int64_t micro = 0; micro < 4; ++micro) {
    const std::vector<double> m =
        mask(5000, {.p = 0.4}, {.step = 1, .seed = 0, .micro_batch = micro});
    for (std::size_t i = 0; i < m.size(); ++i) expected[i] += test.upstream[i] * m[i];
  }
  check_close(run_op(test, {.accumulation = 4}).gradients[0], expected, 1e-14, test.name);
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  check_threads(dropout_case({{"b", 97}, {"c", 1031}}, {.p = 0.1}));
  check_threads(dropout_case({{"b", 97}, {"c", 1031}}, {.p = 0.1, .residual = true}));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named) {
  for (const double p : {-0.1, 1.0, 2.0, std::nan("")}) {
    expect_error<Error>([&] { const Dropout op({.p = p}); }, "outside [0, 1)");
  }
  const TensorType x{{{"b", 3}, {"c", 7}}, DType::kF32};
  const auto fails = [](bool residual, const std::vector<TensorType>& operands,
                        std::string_view part) {
    const Dropout op({.residual = residual});
    expect_error<ShapeError>([&] { (void)op.outputs(operands); }, part);
  };
  fails(false, {x, x}, "[dropout] operands: got 2, expected x");
  fails(true, {x}, "[dropout] operands: got 1, expected x, residual");
  fails(true, {x, {{{"b", 7}, {"c", 3}}, DType::kF32}}, "[dropout] residual: got (b 7, c 3)");
  fails(true, {x, {x.shape, DType::kF64}}, "[dropout] residual dtype: got f64");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
