// Row programs of every op and update rule as a GPU block runs them, lane by lane: a race shows as
// a result that differs from the CPU's, or that changes with the order of the lanes.

#include "core/ops/activation.h"
#include "core/ops/attention.h"
#include "core/ops/cast.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/dropout.h"
#include "core/ops/einsum.h"
#include "core/ops/elementwise.h"
#include "core/ops/embedding.h"
#include "core/ops/head_cross_entropy.h"
#include "core/ops/layer_norm.h"
#include "core/ops/linear.h"
#include "core/ops/mse.h"
#include "core/ops/reduce.h"
#include "core/ops/rms_norm.h"
#include "core/ops/rope.h"
#include "core/ops/swiglu.h"
#include "core/runtime/cpu/cpu_device.h"
#include "tests/core/ops/simulated/simulated_device.h"
#include "tests/core/optim/update_step.h"
#include "tests/support/compare.h"
#include "tests/support/op_check.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(simulated)

OpResult run_simulated(const OpCase& test, DType dtype, bool forward, bool as_activations) {
  return run_op(test, {.dtype = dtype, .as_activations = as_activations, .device = [forward] {
                         return make_simulated_device(forward);
                       }});
}

void check_as_block(const OpCase& test) {
  for (DType dtype : {DType::kF64, DType::kF32}) {
    // Sums run in another order.
    const double tolerance = dtype == DType::kF64 ? 1e-13 : 1e-5;
    for (bool as_activations : {false, true}) {
      const OpResult cpu = run_op(test, {.dtype = dtype, .as_activations = as_activations});
      const OpResult block = run_simulated(test, dtype, false, as_activations);
      check_close(block.output, cpu.output, tolerance, test.name);
      for (std::size_t i = 0; i < cpu.more_outputs.size(); ++i) {
        check_close(block.more_outputs[i], cpu.more_outputs[i], tolerance, test.name);
      }
      for (std::size_t i = 0; i < cpu.gradients.size(); ++i) {
        check_close(block.gradients[i], cpu.gradients[i], tolerance, test.name + " gradient");
      }
      const OpResult forward = run_simulated(test, dtype, true, as_activations);
      BOOST_CHECK_MESSAGE(forward.output == block.output && forward.gradients == block.gradients,
                          test.name << ": the order of the lanes matters");
    }
  }
}

template <class OpType, class... Arguments>
OpCase case_of(std::string name, std::vector<Shape> shapes, Arguments... arguments) {
  OpCase test{.name = std::move(name),
              .make = [=] { return std::make_unique<OpType>(arguments...); }};
  std::vector<TensorType> types;
  std::uint32_t seed = 1;
  for (const Shape& shape : shapes) {
    test.operands.push_back(some_operand(shape, ++seed));
    types.push_back({shape, DType::kF64});
  }
  test.upstream = some_values(test.make()->outputs(types)[0].type.shape.numel(), 50);
  return test;
}

BOOST_AUTO_TEST_CASE(linear) {
  for (const ops::WeightLayout layout : {ops::WeightLayout::kInOut, ops::WeightLayout::kOutIn}) {
    for (std::int64_t out : {1, 5}) {
      const Shape weight = layout == ops::WeightLayout::kInOut ? Shape{{"in", 77}, {"out", out}}
                                                               : Shape{{"out", out}, {"in", 77}};
      check_as_block(case_of<ops::Linear>("linear",
                                          {{{"b", 21}, {"in", 77}}, weight, {{"out", out}}},
                                          ops::Linear::Options{.bias = true, .layout = layout}));
    }
  }
}

BOOST_AUTO_TEST_CASE(attention) {
  using Options = ops::Attention::Options;
  for (const auto kind : {headroom::Attention::kFlash, headroom::Attention::kEager}) {
    // 6 heads are one block of jobs; 20 are two, the second one smaller.
    const std::vector<Options> all = {
        {.heads = 6, .kv_heads = 6, .head_dim = 5, .kind = kind, .packed = true, .chunk = 7},
        {.heads = 6,
         .kv_heads = 2,
         .head_dim = 4,
         .window = 9,
         .kind = kind,
         .packed = true,
         .chunk = 8},
        {.heads = 20,
         .kv_heads = 20,
         .head_dim = 2,
         .causal = false,
         .kind = kind,
         .packed = true,
         .chunk = 32}};
    for (const Options& o : all) {
      check_as_block(case_of<ops::Attention>(
          std::string(name(kind)),
          {{{"b", 2}, {"t", 18}, {"columns", (o.heads + 2 * o.kv_heads) * o.head_dim}}}, o));
    }
    const Options apart{.heads = 4, .kv_heads = 2, .head_dim = 4, .kind = kind, .chunk = 8};
    check_as_block(case_of<ops::Attention>("q, k, v apart",
                                           {{{"b", 2}, {"t", 11}, {"columns", 16}},
                                            {{"b", 2}, {"t", 11}, {"columns", 8}},
                                            {{"b", 2}, {"t", 11}, {"columns", 8}}},
                                           apart));
  }
}

BOOST_AUTO_TEST_CASE(rope) {
  for (const auto pairs : {ops::RopePairs::kHalves, ops::RopePairs::kNeighbours}) {
    for (std::int64_t columns : {60, 84}) {
      check_as_block(case_of<ops::Rope>(
          "rope", {{{"b", 2}, {"t", 5}, {"columns", columns}}},
          ops::Rope::Options{.heads = 5, .head_dim = 12, .pairs = pairs, .first_position = 100}));
    }
  }
}

BOOST_AUTO_TEST_CASE(elementwise) {
  const Shape shape{{"a", 3}, {"b", 59}};
  check_as_block(case_of<ops::Add>("add", {shape, shape}));
  check_as_block(case_of<ops::Mul>("mul", {shape, shape}));
  for (const Choice& choice : choices<ActivationKind>()) {
    check_as_block(case_of<ops::Activation>(std::string(choice.name), {shape},
                                            *from_name<ActivationKind>(choice.name)));
  }
}

BOOST_AUTO_TEST_CASE(parts_of_a_block) {
  const Shape shape{{"a", 3}, {"b", 59}};
  const Shape long_rows{{"a", 3}, {"b", 1499}};  // a whole row of dropout and a part of one
  check_as_block(case_of<ops::SwiGlu>("swiglu", {shape, shape}));
  check_as_block(case_of<ops::Cast>("cast", {shape}, DType::kF32));
  check_as_block(case_of<ops::Dropout>("dropout", {long_rows}, ops::Dropout::Options{.p = 0.25}));
  check_as_block(case_of<ops::Dropout>("dropout, residual", {long_rows, long_rows},
                                       ops::Dropout::Options{.p = 0.25, .residual = true}));
  OpCase embedding{
      .name = "embedding",
      .make = [] { return std::make_unique<ops::Embedding>(ops::Embedding::Options{true}); },
      .operands = {{{{"b", 9}, {"t", 31}}, {}, false, true},
                   some_operand({{"v", 101}, {"c", 77}}, 1),
                   some_operand({{"p", 33}, {"c", 77}}, 2)},
      .upstream = some_values(static_cast<std::int64_t>(9) * 31 * 77, 3)};
  for (int i = 0; i < 9 * 31; ++i) embedding.operands[0].values.push_back(i * i % 89);
  check_as_block(embedding);
}

BOOST_AUTO_TEST_CASE(losses) {
  OpCase mse =
      case_of<ops::MeanSquaredError>("mse", {{{"a", 9}, {"b", 31}}, {{"a", 9}, {"b", 31}}}, 0.5);
  mse.operands[1].gradient = false;
  mse.upstream.clear();
  check_as_block(mse);
  OpCase cross_entropy{
      .name = "cross-entropy",
      .make = [] { return std::make_unique<ops::CrossEntropy>(0.5); },
      .operands = {some_operand({{"b", 19}, {"classes", 131}}, 1), {{{"b", 19}}, {}, false, true}}};
  for (int row = 0; row < 19; ++row) cross_entropy.operands[1].values.push_back(row * 6);
  check_as_block(cross_entropy);
}

BOOST_AUTO_TEST_CASE(head_cross_entropy) {
  for (const std::int64_t classes : {0, 65}) {
    OpCase head{.name = "head, classes " + std::to_string(classes),
                .make =
                    [classes] {
                      return std::make_unique<ops::HeadCrossEntropy>(
                          ops::HeadCrossEntropy::Options{.scale = 0.5, .classes = classes});
                    },
                .operands = {some_operand({{"rows", 261}, {"in", 3}}, 1),
                             some_operand({{"v", 67}, {"in", 3}}, 2),
                             {{{"rows", 261}}, {}, false, true}}};
    for (int row = 0; row < 261; ++row) {
      head.operands[2].values.push_back(row % 9 == 4 ? -100 : row * 7 % 65);
    }
    check_as_block(head);
  }
}

BOOST_AUTO_TEST_CASE(norms) {
  for (const Shape& x : {Shape{{"b", 21}, {"c", 77}}, Shape{{"b", 19}, {"c", 260}}}) {
    const Shape c{x.back()};
    check_as_block(case_of<ops::LayerNorm>("layer norm", {x, c, c}, ops::LayerNorm::Options{}));
    check_as_block(case_of<ops::RmsNorm>("rms norm", {x, c}, ops::RmsNorm::Options{}));
    OpCase fused = case_of<ops::LayerNorm>("layer norm, residual", {x, x, c, c},
                                           ops::LayerNorm::Options{.residual = true});
    fused.more_upstream = {some_values(x.numel(), 60)};
    check_as_block(fused);
    fused = case_of<ops::RmsNorm>("rms norm, residual", {x, x, c},
                                  ops::RmsNorm::Options{.residual = true});
    fused.more_upstream = {some_values(x.numel(), 60)};
    check_as_block(fused);
  }
}

BOOST_AUTO_TEST_CASE(reduce) {
  const Shape shape{{"a", 3}, {"b", 5}, {"c", 71}};
  for (const auto kind : {ops::Reduction::kSum, ops::Reduction::kMean, ops::Reduction::kMax}) {
    for (const char* pattern :
         {"a b c -> a b", "a b c -> a c", "a b c -> c a", "a b c -> b", "a b c ->"}) {
      check_as_block(case_of<ops::Reduce>(std::string(name(kind)) + " " + pattern, {shape},
                                          std::string(pattern), kind));
    }
  }
}

BOOST_AUTO_TEST_CASE(einsum) {
  const auto check = [](const char* pattern, const Shape& a, const Shape& b) {
    check_as_block(case_of<ops::Einsum>(pattern, {a, b}, std::string(pattern)));
  };
  check("b q d, b k d -> b q k", {{"b", 2}, {"q", 7}, {"d", 9}}, {{"b", 2}, {"k", 5}, {"d", 9}});
  check("m k s, k n -> n m", {{"m", 7}, {"k", 9}, {"s", 5}}, {{"k", 9}, {"n", 11}});
  check("m1 k m2, k n -> m1 m2 n", {{"m", 3}, {"k", 9}, {"m", 5}}, {{"k", 9}, {"n", 7}});
  check("i j, j i -> j i", {{"i", 9}, {"j", 70}}, {{"j", 70}, {"i", 9}});
  check("i, j -> i j", {{"i", 9}}, {{"j", 70}});
  check_as_block(
      case_of<ops::Einsum>("transpose", {{{"a", 9}, {"b", 70}}}, std::string("a b -> b a")));
}

std::vector<double> updated(const OptimizerPlan& plan, std::unique_ptr<runtime::Device> device) {
  StepRunner runner(prescribed_gradients(optim::make_rule(plan), DType::kF32, {333, 70},
                                         {.grad_clip_norm = 3, .input_slots = 1}),
                    std::move(device));
  const auto& parameters = runner.step().parameters;
  runner.set(parameters[0], some_values(333, 1));
  runner.set(parameters[1], some_values(70, 2));
  runner.set_batches({{some_values(333, 3), some_values(70, 4)}});
  for (int t = 1; t <= 2; ++t) {
    runner.run({.learning_rate = 0.1, .step = t, .grad_clip_norm = 3});
  }
  std::vector<double> values = runner.get(parameters[0]);
  for (double v : runner.get(parameters[1])) values.push_back(v);
  return values;
}

BOOST_AUTO_TEST_CASE(updates_with_clipping) {
  using enum OptimizerKind;
  const std::vector<OptimizerPlan> plans = {
      {.name = kSgd, .weight_decay = 0.1},
      {.name = kSgd, .momentum = 0.9, .nesterov = true},
      {.name = kAdagrad, .eps = 1e-10},
      {.name = kRmsprop, .momentum = 0.5, .alpha = 0.9, .centered = true, .eps = 1e-8},
      {.name = kAdam, .weight_decay = 0.1, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8},
      {.name = kAdamw, .weight_decay = 0.1, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8}};
  for (const OptimizerPlan& plan : plans) {
    const std::vector<double> block = updated(plan, make_simulated_device(false));
    check_close(block, updated(plan, runtime::make_cpu_device(1, true)), 1e-5,
                std::string(name(plan.name)));
    BOOST_CHECK(updated(plan, make_simulated_device(true)) == block);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
