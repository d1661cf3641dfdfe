// A loss that computes its gradients with its result: one call in the step, by whatever counts,
// traces and runs steps.

#include "core/describe/error.h"
#include "core/describe/trace.h"
#include "core/describe/work_list.h"
#include "core/ops/linear.h"
#include "core/ops/mse.h"
#include "core/optim/rules.h"
#include "core/runtime/kernel_context.h"
#include "tests/core/runtime/engine/known_op_device.h"
#include "tests/core/runtime/engine/run_step.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom {
namespace {

using runtime::KernelContext;

/// loss = sum of x_i w_i over n elements; the gradients are w and x.
class Dot final : public Op {
 public:
  std::string_view name() const override { return "dot"; }
  OutputSpecs outputs(std::span<const TensorType>) const override {
    return {{.type = {Shape{}, DType::kF32}}};
  }
  SavedOperands saved() const override { return {}; }
  Work forward_work(std::span<const TensorType>) const override {
    return {.matmul = {.m = 1, .n = 1, .k = 100}, .matmul_flops = Flops(200)};
  }
  SmallList<Work, 3> backward_work(std::span<const TensorType>,
                                   GradientMask wanted) const override {
    SmallList<Work, 3> list;
    for (std::size_t i = 0; i < 2; ++i) {
      if (wants(wanted, i)) {
        list.push_back({.matmul = {.m = 100, .n = 1, .k = 1}, .matmul_flops = Flops(200)});
      }
    }
    return list;
  }
  Bytes forward_workspace(std::span<const TensorType>) const override { return Bytes(4); }
  Bytes backward_workspace(std::span<const TensorType>, GradientMask) const override {
    return Bytes(8);
  }
  InPlaceRules backward_in_place(std::size_t, std::size_t) const override {
    return {{.write = 0, .read = 0}};
  }
  bool fuses_backward() const override { return true; }
};

void dot(KernelContext& context) {
  const std::int64_t n = context.input_type(0).shape.numel();
  const auto* x = context.read<float>(0);
  const auto* w = context.read<float>(1);
  const bool gradients = context.pass() == Pass::kForwardBackward;
  auto* scratch = context.workspace<float>(gradients ? 2 : 1);
  scratch[0] = 0;
  for (std::int64_t i = 0; i < n; ++i) scratch[0] += x[i] * w[i];
  auto* loss = context.write<float>(0, 1);
  *loss = scratch[0] + (context.accumulates(0) ? *loss : 0.0F);
  if (!gradients) return;
  // w's gradient first: that of x may take the place of x.
  for (const std::size_t input : {1U, 0U}) {
    const std::size_t position = context.input_gradient(input);
    if (!context.has_write(position)) continue;
    auto* gradient = context.write<float>(position, n);
    const float* other = input == 0 ? w : x;
    for (std::int64_t i = 0; i < n; ++i) {
      gradient[i] = other[i] + (context.accumulates(position) ? gradient[i] : 0.0F);
    }
  }
}

/// A model whose weight is used twice, and where its tensors are.
struct Tied {
  TensorId weight, hidden;
  Step step;
};

/// loss = (rows weight) . weight with rows and weight 10 x 10: the weight is used twice.
Tied tied(StepOptions options) {
  Graph graph;
  Tied result;
  const TensorType type{Shape{{"rows", 10}, {"in", 10}}, DType::kF32};
  const TensorId rows = graph.input({.stem = "rows"}, type);
  result.weight = graph.parameter({.stem = "weight"}, type, Initializer::normal(1));
  const auto& linear = graph.own(std::make_unique<ops::Linear>(ops::Linear::Options{}));
  result.hidden = graph.apply(linear, {rows, result.weight}, {.stem = "hidden"})[0];
  const auto& dot_op = graph.own(std::make_unique<Dot>());
  graph.set_loss(graph.apply(dot_op, {result.hidden, result.weight}, {.stem = "loss"},
                             Category::kTemporaries, Phase::kLoss)[0]);
  result.step = make_step(std::move(graph),
                          optim::make_rule({.name = OptimizerKind::kSgd, .lr = 0.1}), options);
  return result;
}

std::vector<float> parameter(const runtime::Executor& executor, TensorId id) {
  std::vector<float> values(100);
  executor.read_tensor(id, 0, std::as_writable_bytes(std::span(values)));
  return values;
}

BOOST_AUTO_TEST_CASE(one_call_makes_the_loss_and_the_gradients) {
  const Tied model = tied({});
  const auto& calls = model.step.sections.at(0).calls;
  BOOST_REQUIRE_EQUAL(calls.size(), 4U);  // linear, dot, linear's backward, update
  const OpCall& fused = calls[1];
  BOOST_CHECK(fused.pass == Pass::kForwardBackward);
  BOOST_TEST(name(fused.pass) == "forward+backward");
  BOOST_CHECK(fused.phase == Phase::kLoss);
  BOOST_REQUIRE_EQUAL(fused.reads.size(), 2U);
  BOOST_REQUIRE_EQUAL(fused.writes.size(), 3U);
  BOOST_CHECK(fused.writes[0] == model.step.loss);
  BOOST_TEST(fused.accumulate == 0U);
  BOOST_TEST(model.step.bytes(fused.workspace).value() == 8);
  // The hidden rows end here, so their gradient takes their place.
  BOOST_REQUIRE_EQUAL(fused.in_place.size(), 1U);
  BOOST_TEST(fused.in_place[0].write == 1);
  BOOST_TEST(fused.in_place[0].read == 0);
  // The weight's gradient begins in the fused call and is added to by the linear layer.
  BOOST_CHECK(calls[2].pass == Pass::kBackward);
  BOOST_CHECK(calls[2].writes[1] == fused.writes[2]);
  BOOST_TEST(calls[2].accumulate == 0b10U);
  BOOST_CHECK(calls[3].pass == Pass::kUpdate);
}

BOOST_AUTO_TEST_CASE(its_work_is_split_between_forward_and_backward) {
  double loss = 0;
  double backward = 0;
  for (const WorkItem& item : work_of(tied({}).step)) {
    if (item.op != "dot") continue;
    (item.phase == Phase::kLoss ? loss : backward) += item.work.matmul_flops.value();
    BOOST_CHECK(item.phase == Phase::kLoss || item.phase == Phase::kBackward);
  }
  BOOST_TEST(loss == 200);
  BOOST_TEST(backward == 400);
}

// loss = sum (r w) * w, so that the gradient is r w + r^T w.
BOOST_AUTO_TEST_CASE(gradients_of_a_tied_weight_and_of_micro_batches_add_up) {
  for (const std::int64_t accumulation : {1, 2, 4}) {
    Tied model = tied({.accumulation = accumulation, .input_slots = 1});
    for (std::size_t s = 1; s < model.step.sections.size(); ++s) {
      BOOST_TEST(model.step.sections[s].calls[1].accumulate == 0b101U);
    }
    test::KnownOpDevice device("dot", dot, nullptr, dot);
    runtime::Ledger ledger(model.step);
    runtime::Executor executor(model.step, plan_arena(model.step), device, ledger);
    executor.initialise(1);
    test::RandomBatches batches(model.step, executor);
    const auto* rows = static_cast<const float*>(executor.batch_buffers()[0][0]);
    const std::vector<float> before = parameter(executor, model.weight);
    const double loss = executor.run_step({.learning_rate = 0.1, .step = 1}, batches).loss;
    const std::vector<float> after = parameter(executor, model.weight);
    const auto repeats = static_cast<double>(accumulation);
    double expected_loss = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      for (std::size_t j = 0; j < 10; ++j) {
        double gradient = 0;
        for (std::size_t k = 0; k < 10; ++k) {
          const double above = static_cast<double>(rows[i * 10 + k]);
          const double below = static_cast<double>(rows[k * 10 + i]);
          const auto w = static_cast<double>(before[k * 10 + j]);
          gradient += (above + below) * w;
          expected_loss += above * w * static_cast<double>(before[i * 10 + j]) * repeats;
        }
        const double moved = static_cast<double>(before[i * 10 + j] - after[i * 10 + j]);
        BOOST_CHECK_SMALL(moved - 0.1 * repeats * gradient, 1e-5);
      }
    }
    BOOST_CHECK_SMALL(loss - expected_loss, 1e-4);
    BOOST_TEST((usage(ledger.trace()).at_peak == usage(trace_of(model.step)).at_peak));
  }
}

void diverge(KernelContext& context) {
  dot(context);
  *context.write<float>(0, 1) = std::nanf("");
}

BOOST_AUTO_TEST_CASE(a_step_that_diverges_changes_no_parameter) {
  const Tied model = tied({});
  test::KnownOpDevice device("dot", diverge, nullptr, diverge);
  runtime::Ledger ledger(model.step);
  runtime::Executor executor(model.step, plan_arena(model.step), device, ledger);
  executor.initialise(1);
  test::RandomBatches batches(model.step, executor);
  const std::vector<float> before = parameter(executor, model.weight);
  BOOST_CHECK_THROW((void)executor.run_step({.learning_rate = 0.1, .step = 1}, batches),
                    runtime::Diverged);
  BOOST_TEST(parameter(executor, model.weight) == before);
}

/// The fused op on two tensors that are parameters, or rows of the batch.
Graph dot_of(bool trained) {
  Graph graph;
  const TensorType type{Shape{{"n", 100}}, DType::kF32};
  const TensorId x = graph.input({.stem = "x"}, type);
  const TensorId w = trained ? graph.parameter({.stem = "w"}, type, Initializer::normal(1))
                             : graph.input({.stem = "w"}, type);
  const auto& dot_op = graph.own(std::make_unique<Dot>());
  graph.set_loss(
      graph.apply(dot_op, {x, w}, {.stem = "loss"}, Category::kTemporaries, Phase::kLoss)[0]);
  return graph;
}

BOOST_AUTO_TEST_CASE(gradients_nobody_wants_are_left_out) {
  const auto sgd = [] { return optim::make_rule({.name = OptimizerKind::kSgd, .lr = 0.1}); };
  const Step half = make_step(dot_of(true), sgd(), {});
  const OpCall& fused = half.sections[0].calls[0];
  BOOST_CHECK(fused.pass == Pass::kForwardBackward);
  BOOST_CHECK(fused.writes[1].none());
  BOOST_CHECK(!fused.writes[2].none());

  const Step none = make_step(dot_of(false), sgd(), {});
  BOOST_REQUIRE_EQUAL(none.sections[0].calls.size(), 1U);
  const OpCall& forward = none.sections[0].calls[0];
  BOOST_CHECK(forward.pass == Pass::kForward);
  BOOST_TEST(forward.writes.size() == 1U);
  BOOST_TEST(none.bytes(forward.workspace).value() == 4);
}

BOOST_AUTO_TEST_CASE(an_op_that_fuses_its_backward_must_make_the_loss) {
  Graph graph = dot_of(true);
  const auto& mse = graph.own(std::make_unique<ops::MeanSquaredError>(1.0));
  const TensorId target = graph.input({.stem = "target"}, {Shape{}, DType::kF32});
  graph.set_loss(graph.apply(mse, {graph.loss(), target}, {.stem = "loss"}, Category::kTemporaries,
                             Phase::kLoss)[0]);
  BOOST_CHECK_EXCEPTION(
      (void)make_step(std::move(graph), optim::make_rule({.name = OptimizerKind::kSgd, .lr = 0.1}),
                      {}),
      ShapeError, [](const ShapeError& error) {
        return std::string(error.what()) ==
               "[dot] computes its gradients with its result, which must be the loss";
      });
}

}  // namespace
}  // namespace headroom
