#include "core/ops/attention.h"

#include "core/describe/error.h"
#include "tests/support/compare.h"
#include "tests/support/kernel_call.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <utility>

namespace headroom::test {
namespace {

using Options = ops::Attention::Options;

BOOST_AUTO_TEST_SUITE(attention)

/// Attention over q, k, v; `sizes` are batch and time.
OpCase separate_case(const std::string& name,
                     Options options,
                     std::int64_t batch,
                     std::int64_t time,
                     std::uint32_t seed) {
  const std::int64_t q = options.heads * options.head_dim;
  const std::int64_t kv = options.kv_heads * options.head_dim;
  const auto operand = [&](std::int64_t columns, std::uint32_t number) {
    return some_operand({{"batch", batch}, {"time", time}, {"columns", columns}}, seed + number);
  };
  return {.name = name,
          .make = [options] { return std::make_unique<ops::Attention>(options); },
          .operands = {operand(q, 1), operand(kv, 2), operand(kv, 3)},
          .upstream = some_values(batch * time * q, seed)};
}

/// The same with q, k and v side by side.
OpCase packed(const OpCase& test, Options options) {
  options.packed = true;
  OpCase result{.name = test.name + ", packed",
                .make = [options] { return std::make_unique<ops::Attention>(options); },
                .upstream = test.upstream};
  const Shape& q = test.operands[0].shape;
  std::int64_t columns = 0;
  for (const Operand& operand : test.operands) columns += operand.shape.columns();
  Operand all{.shape = {q[0], q[1], {"columns", columns}}, .values = {}};
  for (std::int64_t row = 0; row < q.rows(); ++row) {
    for (const Operand& operand : test.operands) {
      const auto first = operand.values.begin() + row * operand.shape.columns();
      all.values.insert(all.values.end(), first, first + operand.shape.columns());
    }
  }
  result.operands = {all};
  return result;
}

/// A packed gradient taken apart into those of q, k, v.
std::vector<std::vector<double>> unpacked(const std::vector<double>& values, const OpCase& like) {
  std::vector<std::vector<double>> parts(like.operands.size());
  auto next = values.begin();
  while (next != values.end()) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto columns = like.operands[i].shape.columns();
      parts[i].insert(parts[i].end(), next, next + columns);
      next += columns;
    }
  }
  return parts;
}

constexpr headroom::Attention kKinds[] = {headroom::Attention::kFlash, headroom::Attention::kEager};

std::string label(headroom::Attention kind) { return std::string(headroom::name(kind)); }

Options options_of(const nlohmann::json& node) {
  return {.heads = node.at("heads").get<std::int64_t>(),
          .kv_heads = node.at("kv_heads").get<std::int64_t>(),
          .head_dim = node.at("head_dim").get<std::int64_t>(),
          .causal = node.at("causal").get<bool>(),
          .window = node.at("window").get<std::int64_t>(),
          .scale = node.at("scale").get<double>()};
}

OpCase reference_case(const nlohmann::json& node, const Options& options) {
  OpCase test{.name = node.at("name").get<std::string>() + " " + label(options.kind),
              .make = [options] { return std::make_unique<ops::Attention>(options); },
              .upstream = tensor_of(node.at("grad_out")).values};
  for (const char* name : {"q", "k", "v"}) {
    const ReferenceTensor tensor = tensor_of(node.at(name));
    test.operands.push_back({tensor.shape(), tensor.values});
  }
  return test;
}

// One chunk, and chunks that do not divide the sequence.
BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  for (const auto& node : load_reference("attention").at("cases")) {
    for (headroom::Attention kind : kKinds) {
      for (std::int64_t chunk : {64, 4, 1}) {
        Options options = options_of(node);
        options.kind = kind;
        options.chunk = chunk;
        const OpCase test = reference_case(node, options);
        for (DType dtype : {DType::kF64, DType::kF32}) {
          const auto& values = node.at(std::string(name(dtype)));
          const OpResult expected{.output = tensor_of(values.at("out")).values,
                                  .gradients = {tensor_of(values.at("grad_q")).values,
                                                tensor_of(values.at("grad_k")).values,
                                                tensor_of(values.at("grad_v")).values}};
          check_expected(test, dtype, expected);
          const OpResult together = run_op(packed(test, options), {.dtype = dtype});
          const OpResult apart = run_op(test, {.dtype = dtype});
          BOOST_CHECK_MESSAGE(together.output == apart.output &&
                                  unpacked(together.gradients[0], test) == apart.gradients,
                              test.name << ": packed operands give other bits");
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(keeps_what_pytorch_finds) {
  for (const auto& node : load_reference("attention").at("cases")) {
    for (headroom::Attention kind : kKinds) {
      Options options = options_of(node);
      options.kind = kind;
      options.chunk = 4;
      KernelCall call(reference_case(node, options), Pass::kForward);
      call.run();
      const bool flash = kind == headroom::Attention::kFlash;
      const char* kept = flash ? "log_sum_exp" : "probabilities";
      check_close(call.written(ops::Attention::kKept), tensor_of(node.at("f64").at(kept)).values,
                  1e-12, kept);
    }
  }
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  const std::vector<Options> cases = {
      {.heads = 2, .kv_heads = 2, .head_dim = 3, .chunk = 3},
      {.heads = 4, .kv_heads = 2, .head_dim = 2, .chunk = 2},
      {.heads = 2, .kv_heads = 1, .head_dim = 2, .causal = false, .chunk = 4},
      {.heads = 2, .kv_heads = 1, .head_dim = 3, .window = 2, .chunk = 3},
      {.heads = 1, .kv_heads = 1, .head_dim = 1, .scale = 0.5},
  };
  std::uint32_t seed = 10;
  for (Options options : cases) {
    for (headroom::Attention kind : kKinds) {
      options.kind = kind;
      const OpCase test = separate_case(label(kind), options, 2, 5, seed += 10);
      check_op(test);
      check_op(packed(test, options));
    }
  }
}

// The gradient of each operand on its own: what the others need is left out.
BOOST_AUTO_TEST_CASE(gradients_of_some_operands) {
  const Options options{.heads = 4, .kv_heads = 2, .head_dim = 3, .chunk = 2};
  const OpCase all = separate_case("all", options, 2, 5, 3);
  const OpResult whole = run_op(all);
  for (unsigned wanted = 1; wanted < 8; ++wanted) {
    OpCase test = all;
    for (std::size_t i = 0; i < 3; ++i) test.operands[i].gradient = ((wanted >> i) & 1U) != 0;
    const OpResult got = run_op(test);
    for (std::size_t i = 0; i < 3; ++i) {
      if (test.operands[i].gradient) BOOST_CHECK(got.gradients[i] == whole.gradients[i]);
    }
  }
}

// More heads than slots of scratch, several chunks, sizes that divide nothing.
BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  for (headroom::Attention kind : kKinds) {
    const Options many{.heads = 9, .kv_heads = 9, .head_dim = 12, .kind = kind, .chunk = 32};
    check_large(separate_case(label(kind) + " heads", many, 2, 83, 1));
    const Options grouped{
        .heads = 6, .kv_heads = 2, .head_dim = 16, .window = 40, .kind = kind, .chunk = 32};
    const OpCase test = separate_case(label(kind) + " grouped", grouped, 3, 77, 2);
    check_large(packed(test, grouped));
  }
}

/// Operands that 16 bits hold exactly, so that only what is computed is rounded.
OpCase exact_in_16_bits(OpCase test) {
  const auto round = [](std::vector<double>& values) {
    for (double& v : values) v = std::round(v * 64) / 64;
  };
  for (Operand& operand : test.operands) round(operand.values);
  round(test.upstream);
  return test;
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

// Results, probabilities and slopes are rounded to 8 (bf16) or 11 (f16) bits, sums are not.
BOOST_AUTO_TEST_CASE(works_on_16_bits) {
  for (headroom::Attention kind : kKinds) {
    const Options options{
        .heads = 4, .kv_heads = 2, .head_dim = 8, .window = 11, .kind = kind, .chunk = 8};
    const OpCase apart = exact_in_16_bits(separate_case(label(kind), options, 2, 21, 7));
    for (const OpCase& test : {apart, packed(apart, options)}) {
      const OpResult exact = run_op(test);
      for (const auto& [dtype, tolerance] :
           {std::pair{DType::kBf16, std::ldexp(1, -7)}, {DType::kF16, std::ldexp(1, -10)}}) {
        const OpResult got = run_kernels(test, dtype);
        const std::string what = test.name + " " + std::string(name(dtype));
        check_close(got.output, exact.output, tolerance, what);
        for (std::size_t i = 0; i < exact.gradients.size(); ++i) {
          check_close(got.gradients[i], exact.gradients[i], tolerance, what + " gradient");
        }
      }
    }
  }
}

// With equal keys every query takes the mean of the values that it sees.
BOOST_AUTO_TEST_CASE(equal_keys_average_the_values_seen) {
  const auto mean_case = [](Options options) {
    options.head_dim = 1;
    OpCase test = separate_case("mean", options, 1, 5, 4);
    for (double& k : test.operands[1].values) k = 0.5;
    test.operands[2].values = {1, 2, 4, 8, 16};
    return run_op(test).output;
  };
  check_close(mean_case({.causal = false}), std::vector<double>(5, 6.2), 1e-15, "all keys");
  check_close(mean_case({.chunk = 2}), {1, 1.5, 7.0 / 3, 3.75, 6.2}, 1e-15, "causal");
  check_close(mean_case({.window = 2, .chunk = 2}), {1, 1.5, 3, 6, 12}, 1e-15, "window");
}

BOOST_AUTO_TEST_CASE(large_scores_overflow_nothing) {
  Options options{.head_dim = 2, .chunk = 2};
  OpCase test = separate_case("large", options, 1, 4, 5);
  for (double& q : test.operands[0].values) q *= 1e4;
  for (DType dtype : {DType::kF64, DType::kF32}) {
    const OpResult got = run_op(test, {.dtype = dtype});
    for (double v : got.output) BOOST_CHECK(std::abs(v) <= 2.1);
    for (const auto& gradient : got.gradients) {
      for (double v : gradient) BOOST_CHECK(std::isfinite(v));
    }
  }
}

std::vector<TensorType> types_of(std::int64_t batch,
                                 std::int64_t time,
                                 std::vector<std::int64_t> columns,
                                 DType dtype = DType::kF32) {
  std::vector<TensorType> types;
  for (std::int64_t c : columns) {
    types.push_back({{{"batch", batch}, {"time", time}, {"columns", c}}, dtype});
  }
  return types;
}

BOOST_AUTO_TEST_CASE(describes_itself) {
  // GPT-2 124M: 12 heads of 64.
  const Options gpt2{.heads = 12, .kv_heads = 12, .head_dim = 64, .packed = true};
  const auto inputs = types_of(1, 1024, {3 * 768});
  const ops::Attention flash(gpt2);
  const OutputSpecs outputs = flash.outputs(inputs);
  BOOST_REQUIRE_EQUAL(outputs.size(), 2U);
  BOOST_CHECK_EQUAL(outputs[0].type.bytes().value(), 1024 * 768 * 4);
  BOOST_CHECK(outputs[1].statistic);
  BOOST_CHECK_EQUAL(outputs[1].type.bytes().value(), 12 * 1024 * 4);
  // 16 chunks of 64 queries see 64, 128, ..., 1024 keys: 64 * 64 * 136 scores a head.
  const double scores = 12.0 * 64 * 64 * 136;
  BOOST_CHECK_EQUAL(flash.plan(inputs[0]).scores(), scores);
  const Work forward = flash.forward_work(inputs);
  BOOST_CHECK_EQUAL(forward.matmul_flops.value(), 2 * 2 * 64 * scores);
  BOOST_CHECK_EQUAL(forward.other_flops.value(), 5 * scores + 1024 * 768);
  const auto backward = flash.backward_work(inputs, 1);
  BOOST_REQUIRE_EQUAL(backward.size(), 2U);
  BOOST_CHECK_EQUAL(backward[0].matmul_flops.value(), 4 * 2 * 64 * scores);
  BOOST_CHECK_EQUAL(backward[1].matmul_flops.value(), 2 * 64 * scores);
  // 12 slots of 64 rows of 1024 + 16 scores, 64 x 64 results and 64 sums.
  BOOST_CHECK_EQUAL(flash.forward_workspace(inputs).value(), 12 * 4 * (64 * 1040 + 64 * 64 + 64));
  // Twice the scores, the results, and 1024 x 64 gradients of keys and of values.
  BOOST_CHECK_EQUAL(flash.backward_workspace(inputs, 1).value(),
                    12 * 4 * (2 * 64 * 1040 + 64 * 64 + 2 * 1024 * 64));

  Options options = gpt2;
  options.kind = headroom::Attention::kEager;
  const ops::Attention eager(options);
  BOOST_CHECK_EQUAL(eager.outputs(inputs)[1].type.bytes().value(), 12LL * 1024 * 1024 * 4);
  BOOST_CHECK_EQUAL(eager.backward_work(inputs, 1).size(), 1U);
  BOOST_CHECK_EQUAL(flash.saved().outputs.size(), 2U);
  BOOST_CHECK_EQUAL(eager.saved().outputs.size(), 1U);
}

// A window bounds what a chunk sees, and with it the scratch, however long the sequence.
BOOST_AUTO_TEST_CASE(a_window_bounds_scores_and_scratch) {
  const ops::Attention op(
      {.heads = 1, .kv_heads = 1, .head_dim = 8, .window = 17, .packed = true, .chunk = 16});
  const auto inputs = types_of(1, 64, {24});
  // Chunks see 16, 32, 32 and 32 keys.
  BOOST_CHECK_EQUAL(op.plan(inputs[0]).scores(), 16 * (16 + 32 + 32 + 32));
  BOOST_CHECK_EQUAL(op.plan(inputs[0]).forward_scratch(DType::kF32).width, 32 + 16);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit) {
  const Options good{.heads = 4, .kv_heads = 2, .head_dim = 3};
  const auto refuses = [](const Options& options, const std::vector<TensorType>& inputs) {
    BOOST_CHECK_THROW((void)ops::Attention(options).outputs(inputs), ShapeError);
  };
  const auto inputs = types_of(2, 5, {12, 6, 6});
  BOOST_CHECK_NO_THROW((void)ops::Attention(good).outputs(inputs));
  refuses(good, types_of(2, 5, {12, 6}));
  refuses(good, types_of(2, 5, {12, 12, 12}));
  refuses(good, types_of(2, 5, {12, 6, 5}));
  refuses(good, types_of(2, 0, {12, 6, 6}));
  refuses(good, {{{{"a", 10}, {"b", 12}}, DType::kF32}, inputs[1], inputs[2]});
  refuses(good, {inputs[0], types_of(2, 4, {6})[0], inputs[2]});
  refuses(good, {inputs[0], inputs[1], types_of(2, 5, {6}, DType::kF64)[0]});
  Options packed_options = good;
  packed_options.packed = true;
  BOOST_CHECK_NO_THROW((void)ops::Attention(packed_options).outputs(types_of(2, 5, {24})));
  refuses(packed_options, types_of(2, 5, {36}));
  refuses(packed_options, inputs);
  for (Options bad :
       {Options{.heads = 4, .kv_heads = 3, .head_dim = 3},
        Options{.heads = 0, .kv_heads = 2, .head_dim = 3},
        Options{.heads = 4, .kv_heads = 2, .head_dim = 3, .window = -1},
        Options{.heads = 4, .kv_heads = 2, .head_dim = 3, .causal = false, .window = 2},
        Options{.heads = 4, .kv_heads = 2, .head_dim = 3, .scale = -1},
        Options{.heads = 4, .kv_heads = 2, .head_dim = 3, .chunk = 0}}) {
    refuses(bad, inputs);
  }
  OpCase loss = separate_case("loss", {.heads = 1, .kv_heads = 1, .head_dim = 1}, 1, 1, 1);
  loss.upstream.clear();
  BOOST_CHECK_THROW((void)run_op(loss), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
