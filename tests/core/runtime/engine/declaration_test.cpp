// What an op declares is all its kernels get, and a wrong declaration is found out.

#include "core/ops/mse.h"
#include "core/optim/rules.h"
#include "core/runtime/kernel_context.h"
#include "tests/core/runtime/engine/known_op_device.h"
#include "tests/core/runtime/engine/run_step.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

/// y = 2 x, whose description can be made to lie.
class Double final : public Op {
 public:
  struct Lies {
    Bytes workspace{256};
    bool saves_input = true;
  };
  explicit Double(Lies lies) : lies_(lies) {}
  std::string_view name() const override { return "double"; }
  OutputSpecs outputs(std::span<const TensorType> in) const override { return {{.type = in[0]}}; }
  SavedOperands saved() const override {
    return lies_.saves_input ? SavedOperands{.inputs = {0}, .outputs = {}} : SavedOperands{};
  }
  Work forward_work(std::span<const TensorType>) const override { return {}; }
  SmallList<Work, 3> backward_work(std::span<const TensorType>, GradientMask) const override {
    return {};
  }
  Bytes forward_workspace(std::span<const TensorType>) const override { return lies_.workspace; }

 private:
  Lies lies_;
};

void double_forward(runtime::KernelContext& context) {
  const std::int64_t n = context.input_type(0).shape.numel();
  auto* scratch = context.workspace<float>(64);
  scratch[0] = 2;
  const auto* x = context.read<float>(0);
  auto* y = context.write<float>(0, n);
  for (std::int64_t i = 0; i < n; ++i) y[i] = scratch[0] * x[i];
}

void double_backward(runtime::KernelContext& context) {
  const std::int64_t n = context.input_type(0).shape.numel();
  (void)context.read<float>(0);
  const auto* dy = context.read<float>(context.output_gradient(0));
  auto* dx = context.write<float>(0, n);
  for (std::int64_t i = 0; i < n; ++i) dx[i] = 2 * dy[i];
}

/// loss = mse(2 w, target)
Step describe(Double::Lies lies) {
  Graph graph;
  const TensorType type{Shape{{"n", 100}}, DType::kF32};
  const TensorId target = graph.input({.stem = "target"}, type);
  const TensorId w = graph.parameter({.stem = "w"}, type, Initializer::normal(1));
  const auto& op = graph.own(std::make_unique<Double>(lies));
  const TensorId y = graph.apply(op, {w}, {.stem = "y"})[0];
  const auto& mse = graph.own(std::make_unique<ops::MeanSquaredError>(1.0));
  graph.set_loss(
      graph.apply(mse, {y, target}, {.stem = "loss"}, Category::kTemporaries, Phase::kLoss)[0]);
  return make_step(std::move(graph), optim::make_rule({.name = OptimizerKind::kSgd, .lr = 0.1}),
                   {});
}

PlaceUsage measured(const Step& step) {
  test::KnownOpDevice device("double", double_forward, double_backward);
  runtime::Ledger ledger(step);
  runtime::Executor executor(step, plan_arena(step), device, ledger);
  executor.initialise(1);
  test::RandomBatches batches(step, executor);
  (void)executor.run_step({.learning_rate = 0.1, .step = 1}, batches);
  return usage(ledger.trace());
}

BOOST_AUTO_TEST_CASE(an_honest_description_agrees_with_the_ledger) {
  const Step step = describe({});
  BOOST_TEST((measured(step).at_peak == usage(trace_of(step)).at_peak));
}

// 1 MiB declared, 256 bytes taken: the prediction is too high and the ledger shows by how much.
BOOST_AUTO_TEST_CASE(declaring_too_much_shows_up_as_a_gap) {
  const Step step = describe({.workspace = Bytes(1 << 20)});
  const Bytes predicted = usage(trace_of(step)).at_peak[Category::kWorkspace];
  BOOST_TEST(predicted.value() == 1 << 20);
  BOOST_TEST((measured(step).tensors_peak < usage(trace_of(step)).tensors_peak));
}

BOOST_AUTO_TEST_CASE(declaring_too_little_fails_at_once) {
  const Step step = describe({.workspace = Bytes(128)});
  BOOST_CHECK_EXCEPTION((void)measured(step), Error, [](const Error& error) {
    return std::string(error.what()) ==
           "[double] the forward kernel takes 256 bytes of workspace, declared 128";
  });
}

BOOST_AUTO_TEST_CASE(backward_gets_nothing_that_was_not_declared) {
  const Step step = describe({.saves_input = false});
  BOOST_CHECK_EXCEPTION((void)measured(step), Error, [](const Error& error) {
    return std::string(error.what()) ==
           "[double] the backward kernel reads operand 0, which was not declared";
  });
}

}  // namespace
}  // namespace headroom
