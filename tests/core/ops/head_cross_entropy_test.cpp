#include "core/ops/head_cross_entropy.h"

#include "core/describe/error.h"
#include "core/describe/trace.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/linear.h"
#include "core/optim/sgd.h"
#include "tests/support/compare.h"
#include "tests/support/op_check.h"
#include "tests/support/reference.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>

namespace headroom::test {
namespace {

using ops::HeadCrossEntropy;
using Options = HeadCrossEntropy::Options;

BOOST_AUTO_TEST_SUITE(head_cross_entropy)

constexpr double kIgnored = -100;

OpCase head_case(
    std::string name, Options options, Operand hidden, Operand weight, std::vector<double> target) {
  Shape rows;
  for (std::size_t d = 0; d + 1 < hidden.shape.rank(); ++d) rows.append(hidden.shape[d]);
  return {
      .name = std::move(name),
      .make = [options] { return std::make_unique<HeadCrossEntropy>(options); },
      .operands = {std::move(hidden), std::move(weight), {rows, std::move(target), false, true}},
      .upstream = {}};
}

Operand valid_targets(double number) {
  return {.shape = {}, .values = {number}, .gradient = false, .dtype = DType::kF32};
}

std::vector<double> some_targets(std::int64_t rows, std::int64_t classes, std::int64_t ignore = 0) {
  std::vector<double> target;
  for (std::int64_t r = 0; r < rows; ++r) {
    target.push_back(ignore > 0 && r % ignore == 1 ? kIgnored
                                                   : static_cast<double>((r * 7 + 3) % classes));
  }
  return target;
}

OpCase some_head(std::string name,
                 Options options,
                 Shape hidden,
                 std::int64_t vocabulary,
                 std::int64_t ignore = 0) {
  const Shape weight{{"vocab", vocabulary}, hidden.back()};
  const std::int64_t classes = options.classes == 0 ? vocabulary : options.classes;
  return head_case(std::move(name), options, some_operand(hidden, 1), some_operand(weight, 2),
                   some_targets(hidden.rows(), classes, ignore));
}

BOOST_AUTO_TEST_CASE(agrees_with_pytorch) {
  const nlohmann::json reference = load_reference("head_cross_entropy");
  BOOST_REQUIRE_EQUAL(reference.at("cases").size(), 9U);
  for (const auto& node : reference.at("cases")) {
    const ReferenceTensor hidden = tensor_of(node.at("hidden"));
    const ReferenceTensor weight = tensor_of(node.at("weight"));
    const bool valid = node.contains("valid");
    const Options options{.scale = node.at("scale").get<double>(),
                          .valid_given = valid,
                          .classes = node.at("classes").get<std::int64_t>()};
    OpCase test =
        head_case(node.at("name").get<std::string>(), options, {hidden.shape(), hidden.values},
                  {weight.shape(), weight.values}, tensor_of(node.at("target")).values);
    if (valid) test.operands.push_back(valid_targets(node.at("valid").get<double>()));
    for (DType dtype : {DType::kF64, DType::kF32}) {
      const auto& values = node.at(std::string(name(dtype)));
      OpResult expected{.output = tensor_of(values.at("loss")).values,
                        .gradients = {tensor_of(values.at("grad_hidden")).values,
                                      tensor_of(values.at("grad_weight")).values,
                                      {}}};
      if (valid) expected.gradients.emplace_back();
      if (test.name == "one_class") {
        // Exactly 0 here; what PyTorch gets is rounding.
        const OpResult got = run_op(test, {.dtype = dtype});
        check_close(got.output, expected.output, 1e-7, test.name, 1.0);
        check_close(got.gradients[0], expected.gradients[0], 1e-7, test.name, 1.0);
        continue;
      }
      check_expected(test, dtype, expected);
    }
  }
}

std::int64_t chunks(Shape hidden, std::int64_t vocabulary) {
  const Shape weight{{"vocab", vocabulary}, hidden.back()};
  return HeadCrossEntropy({}).size({hidden, DType::kF32}, {weight, DType::kF32}).chunks();
}

BOOST_AUTO_TEST_CASE(gradients_are_differences) {
  check_op(some_head("odd", {.scale = 0.5}, {{"b", 5}, {"in", 3}}, 7));
  check_op(some_head("three dimensions", {}, {{"b", 2}, {"t", 3}, {"in", 4}}, 5));
  check_op(some_head("one row", {}, {{"b", 1}, {"in", 3}}, 17));
  check_op(some_head("one class", {}, {{"b", 3}, {"in", 2}}, 1));
  check_op(some_head("ignored", {}, {{"b", 9}, {"in", 3}}, 6, 4));
  check_op(some_head("padded", {.classes = 6}, {{"b", 4}, {"in", 3}}, 8, 3));
  OpCase given = some_head("valid given", {.valid_given = true}, {{"b", 4}, {"in", 3}}, 5, 3);
  given.operands.push_back(valid_targets(11));
  check_op(given);
  const Shape many{{"b", 261}, {"in", 2}};
  BOOST_REQUIRE_EQUAL(chunks(many, 19), 2);
  check_op(some_head("two chunks", {}, many, 19, 5));
}

BOOST_AUTO_TEST_CASE(threads_change_no_bit) {
  const Shape hidden{{"b", 601}, {"in", 33}};
  BOOST_REQUIRE_EQUAL(chunks(hidden, 517), 3);
  check_large(some_head("large", {}, hidden, 517, 6));
}

/// A head, fused or of two ops, on hidden values that a linear layer with the head's own weight
/// makes of rows of the batch, as a tied embedding does; or on a parameter.
struct Head {
  std::int64_t rows = 5, width = 3, vocabulary = 7;
  bool tied = false;
  std::int64_t accumulation = 1;
  DType dtype = DType::kF64;
};

struct Run {
  double loss = 0;
  std::vector<std::vector<double>> gradients;
  PlaceUsage memory;
};

/// Runs a step and returns its loss and gradients, which lie in the momentum of the first step.
Run run_head(const Head& head, bool fused) {
  Graph graph;
  const auto type = [&](Shape shape) { return TensorType{shape, head.dtype}; };
  const TensorId weight =
      graph.parameter({.stem = "weight"}, type({{"vocab", head.vocabulary}, {"in", head.width}}),
                      Initializer::zeros());
  const TensorId target =
      graph.input({.stem = "target"}, {Shape{{"rows", head.rows}}, DType::kI32});
  const Shape hidden_shape{{"rows", head.rows}, {"in", head.width}};
  std::vector<std::vector<double>> batch = {some_targets(head.rows, head.vocabulary)};
  TensorId hidden;
  if (head.tied) {
    const TensorId rows =
        graph.input({.stem = "rows"}, type({{"rows", head.rows}, {"vocab", head.vocabulary}}));
    batch.push_back(some_values(head.rows * head.vocabulary, 5));
    const auto& embed = graph.own(std::make_unique<ops::Linear>(ops::Linear::Options{}));
    hidden = graph.apply(embed, {rows, weight}, {.stem = "hidden"})[0];
  } else {
    hidden = graph.parameter({.stem = "hidden"}, type(hidden_shape), Initializer::zeros());
  }
  const double scale = 1.0 / static_cast<double>(head.accumulation);
  if (fused) {
    const auto& op = graph.own(std::make_unique<HeadCrossEntropy>(Options{.scale = scale}));
    graph.set_loss(graph.apply(op, {hidden, weight, target}, {.stem = "loss"},
                               Category::kTemporaries, Phase::kLoss)[0]);
  } else {
    const auto& linear = graph.own(
        std::make_unique<ops::Linear>(ops::Linear::Options{.layout = ops::WeightLayout::kOutIn}));
    const auto& op = graph.own(std::make_unique<ops::CrossEntropy>(scale));
    const TensorId logits = graph.apply(linear, {hidden, weight}, {.stem = "logits"})[0];
    graph.set_loss(graph.apply(op, {logits, target}, {.stem = "loss"}, Category::kTemporaries,
                               Phase::kLoss)[0]);
  }
  StepRunner runner(make_step(std::move(graph),
                              std::make_unique<optim::Sgd>(optim::Sgd::Options{.momentum = 0.5}),
                              {.accumulation = head.accumulation, .input_slots = 1}));
  const auto& parameters = runner.step().parameters;
  runner.set(parameters[0], some_values(head.vocabulary * head.width, 3));
  if (!head.tied) runner.set(parameters[1], some_values(head.rows * head.width, 4));
  runner.set_batches({batch});
  Run result;
  result.loss = runner.run({.learning_rate = 0, .step = 1}).loss;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    result.gradients.push_back(runner.state(p, 0));
  }
  result.memory = usage(runner.ledger().trace());
  BOOST_CHECK((result.memory.at_peak == usage(trace_of(runner.step())).at_peak));
  return result;
}

BOOST_AUTO_TEST_CASE(equals_a_linear_layer_and_cross_entropy) {
  for (const bool tied : {false, true}) {
    for (const std::int64_t accumulation : {1, 3}) {
      for (Head head : {Head{}, Head{.rows = 601, .width = 4, .vocabulary = 129}}) {
        head.tied = tied;
        head.accumulation = accumulation;
        const Run fused = run_head(head, true);
        const Run apart = run_head(head, false);
        BOOST_CHECK_CLOSE_FRACTION(fused.loss, apart.loss, 1e-12);
        for (std::size_t p = 0; p < apart.gradients.size(); ++p) {
          check_close(fused.gradients[p], apart.gradients[p], 1e-12,
                      "gradient " + std::to_string(p));
        }
      }
    }
  }
}

// Stored in 16 bits, added up in 32: hidden values, logits' gradients and their products with the
// weight are rounded to 8 bits, the loss and the weight's gradient are not.
BOOST_AUTO_TEST_CASE(sixteen_bit_operands) {
  constexpr double kUnit = 0x1p-8;
  for (Head head : {Head{}, Head{.rows = 601, .width = 4, .vocabulary = 129}}) {
    head.tied = true;
    const Run exact = run_head(head, true);
    head.dtype = DType::kBf16;
    const Run got = run_head(head, true);
    BOOST_CHECK_CLOSE_FRACTION(got.loss, exact.loss, 4 * kUnit);
    check_close(got.gradients[0], exact.gradients[0], 8 * kUnit, "bf16");
  }
}

// f64: the logits of 1000 rows and 601 classes are 4.8 MB; 256 of those rows, padded to 608
// columns, are 1.2 MB.
BOOST_AUTO_TEST_CASE(never_holds_all_logits) {
  const Head head{.rows = 1000, .width = 4, .vocabulary = 601};
  const Run fused = run_head(head, true);
  const Run apart = run_head(head, false);
  BOOST_CHECK_GE(apart.memory.tensors_peak.value(), 1000 * 601 * 8);
  BOOST_CHECK_LE(fused.memory.tensors_peak.value(), 1000 * 601 * 8 / 3);
  BOOST_CHECK_EQUAL(fused.memory.at_peak[Category::kWorkspace].value(), (256 * 608 + 1000 + 1) * 8);
}

// Evaluation: where nothing is trained the op is called for its result alone.
BOOST_AUTO_TEST_CASE(gives_the_same_loss_without_gradients) {
  OpCase test = some_head("evaluation", {.classes = 17}, {{"b", 300}, {"in", 2}}, 19, 5);
  const OpResult trained = run_op(test);
  test.operands[0].gradient = false;
  test.operands[1].gradient = false;
  BOOST_CHECK(op_step(test).step.sections[0].calls[0].pass == Pass::kForward);
  BOOST_CHECK_CLOSE_FRACTION(run_op(test).output[0], trained.output[0], 1e-14);
}

BOOST_AUTO_TEST_CASE(only_the_gradient_that_is_wanted) {
  const OpCase both = some_head("both", {}, {{"b", 280}, {"in", 3}}, 11);
  const OpResult expected = run_op(both);
  for (const std::size_t operand : {0U, 1U}) {
    OpCase one = both;
    one.operands[operand].gradient = false;
    const OpResult got = run_op(one);
    BOOST_CHECK(got.gradients[operand].empty());
    check_close(got.gradients[1 - operand], expected.gradients[1 - operand], 1e-14, "alone");
  }
}

BOOST_AUTO_TEST_CASE(without_any_target_there_is_no_loss_and_no_gradient) {
  OpCase test = some_head("none", {}, {{"b", 3}, {"in", 2}}, 5);
  test.operands[2].values.assign(3, kIgnored);
  const OpResult got = run_op(test);
  BOOST_CHECK_EQUAL(got.output[0], 0);
  for (const std::size_t operand : {0U, 1U}) {
    for (double v : got.gradients[operand]) BOOST_CHECK_EQUAL(v, 0);
  }
}

// With uniform logits the loss is the logarithm of the number of real classes.
BOOST_AUTO_TEST_CASE(uniform_logits_cost_the_log_of_the_classes) {
  for (double level : {0.0, -300.0, 1000.0}) {
    const Operand hidden{{{"b", 3}, {"in", 1}}, std::vector<double>(3, level)};
    Operand weight{{{"vocab", 64}, {"in", 1}}, std::vector<double>(64, 1)};
    for (std::size_t i = 50; i < 64; ++i) weight.values[i] = 7;
    const OpResult got = run_op(head_case("uniform", {.classes = 50}, hidden, weight, {0, 7, 49}));
    BOOST_CHECK_SMALL(got.output[0] - std::log(50.0), 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(a_class_that_does_not_exist_makes_the_loss_nan) {
  for (double wrong : {-1.0, 4.0, 5.0, 1e9}) {
    OpCase test = some_head("wrong", {.classes = 4}, {{"b", 2}, {"in", 3}}, 6);
    test.operands[2].values = {1, wrong};
    BOOST_CHECK_THROW((void)run_op(test), runtime::Diverged);
  }
}

BOOST_AUTO_TEST_CASE(describes_itself) {
  const std::int64_t N = 1024, C = 768, V = 50257;
  const std::array inputs{TensorType{{{"b", 4}, {"t", 256}, {"in", C}}, DType::kF32},
                          TensorType{{{"vocab", V}, {"in", C}}, DType::kF32},
                          TensorType{{{"b", 4}, {"t", 256}}, DType::kI32}};
  const HeadCrossEntropy op({});
  const OutputSpecs outputs = op.outputs(inputs);
  BOOST_REQUIRE_EQUAL(outputs.size(), 1U);
  BOOST_CHECK_EQUAL(outputs[0].type.bytes().value(), 4);
  const double one = 2.0 * N * C * V;
  BOOST_CHECK_EQUAL(op.forward_work(inputs).matmul_flops.value(), one);
  BOOST_CHECK_EQUAL(op.forward_work(inputs).other_flops.value(), 4.0 * N * V + 4.0 * N);
  double matmul = 0;
  double other = 0;
  for (const Work& work : op.backward_work(inputs, 0b11)) {
    matmul += work.matmul_flops.value();
    other += work.other_flops.value();
  }
  BOOST_CHECK_EQUAL(matmul, 2 * one);
  BOOST_CHECK_EQUAL(other, 1.0 * N * V + N);
  BOOST_CHECK_EQUAL(op.backward_work(inputs, 0b10).size(), 2U);
  BOOST_CHECK(op.differentiable(HeadCrossEntropy::kHidden));
  BOOST_CHECK(op.differentiable(HeadCrossEntropy::kWeight));
  BOOST_CHECK(!op.differentiable(HeadCrossEntropy::kTarget));
  BOOST_CHECK(!op.differentiable(HeadCrossEntropy::kValid));
  BOOST_CHECK(op.fuses_backward());
  const HeadCrossEntropy::Size size = op.size(inputs[0], inputs[1]);
  BOOST_CHECK_EQUAL(size.stride % 16, 0);
  BOOST_CHECK_GE(size.stride, V);
  BOOST_CHECK_EQUAL(size.chunk, 256);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit) {
  using Inputs = std::vector<TensorType>;
  const TensorType hidden{{{"b", 6}, {"in", 4}}, DType::kF32};
  const TensorType weight{{{"vocab", 10}, {"in", 4}}, DType::kF32};
  const TensorType target{{{"b", 6}}, DType::kI32};
  const TensorType valid{{}, DType::kF32};
  const auto refuses = [](Options options, const Inputs& inputs) {
    BOOST_CHECK_THROW((void)HeadCrossEntropy(options).outputs(inputs), ShapeError);
  };
  BOOST_CHECK_NO_THROW((void)HeadCrossEntropy({}).outputs(Inputs{hidden, weight, target}));
  BOOST_CHECK_NO_THROW(
      (void)HeadCrossEntropy({.valid_given = true}).outputs(Inputs{hidden, weight, target, valid}));
  refuses({}, {hidden, weight});
  refuses({}, {hidden, weight, target, valid});
  refuses({.valid_given = true}, {hidden, weight, target});
  refuses({.valid_given = true}, {hidden, weight, target, {{{"b", 6}}, DType::kF32}});
  refuses({.valid_given = true}, {hidden, weight, target, {{}, DType::kI32}});
  refuses({.classes = 11}, {hidden, weight, target});
  refuses({.classes = -1}, {hidden, weight, target});
  refuses({}, {hidden, {{{"vocab", 10}, {"in", 5}}, DType::kF32}, target});
  refuses({}, {hidden, {{{"in", 4}}, DType::kF32}, target});
  refuses({}, {hidden, {{{"vocab", 10}, {"in", 4}}, DType::kF64}, target});
  refuses({}, {hidden, weight, {{{"b", 5}}, DType::kI32}});
  refuses({}, {hidden, weight, {{{"b", 6}}, DType::kF32}});
  refuses({}, {{Shape{}, DType::kF32}, weight, {Shape{}, DType::kI32}});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
