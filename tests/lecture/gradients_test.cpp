#include "core/models/training_step.h"
#include "core/ops/linear.h"
#include "core/ops/mse.h"
#include "core/optim/rules.h"
#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/executor.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

/// Hands out batches that the test wrote itself.
class FixedBatches final : public runtime::BatchSource {
 public:
  void acquire(std::int64_t, int) override {}
  void release(std::int64_t, int) override {}
};

// "x = [1,2,3], w = [1,1,1], loss = 0.5 * (x @ w - 5)^2 ... w.grad == tensor([1, 2, 3])"
// With plain SGD and a learning rate of 1 the update is the gradient.
BOOST_AUTO_TEST_CASE(the_worked_example_has_the_gradient_1_2_3) {
  Graph graph;
  const TensorId x = graph.input({.stem = "x"}, {Shape{{"batch", 1}, {"in", 3}}, DType::kF32});
  const TensorId target = graph.input({.stem = "target"}, {Shape{{"batch", 1}}, DType::kF32});
  const TensorId w = graph.parameter({.stem = "w"}, {Shape{{"in", 3}, {"out", 1}}, DType::kF32},
                                     Initializer::ones());
  const auto& linear =
      graph.own(std::make_unique<ops::Linear>(ops::Linear::Options{.squeeze = true}));
  const TensorId prediction = graph.apply(linear, {x, w}, {.stem = "pred_y"})[0];
  const auto& half_square = graph.own(std::make_unique<ops::MeanSquaredError>(0.5));
  graph.set_loss(graph.apply(half_square, {prediction, target}, {.stem = "loss"},
                             Category::kTemporaries, Phase::kLoss)[0]);
  const Step step =
      make_step(std::move(graph), optim::make_rule({.name = OptimizerKind::kSgd, .lr = 1}), {});
  const auto device = runtime::make_cpu_device(1, false);
  runtime::Ledger ledger(step);
  runtime::Executor executor(step, plan_arena(step), *device, ledger);
  executor.initialise(0);
  const auto buffers = executor.batch_buffers();
  auto* row = static_cast<float*>(buffers[0][0]);
  row[0] = 1, row[1] = 2, row[2] = 3;
  *static_cast<float*>(buffers[0][1]) = 5;
  FixedBatches batches;
  const auto result = executor.run_step({.learning_rate = 1, .step = 1}, batches);
  BOOST_TEST(result.loss == 0.5);  // 0.5 * (6 - 5)^2
  std::array<float, 3> after{};
  executor.read_tensor(w, 0, std::as_writable_bytes(std::span(after)));
  BOOST_TEST(1 - after[0] == 1.0F);
  BOOST_TEST(1 - after[1] == 2.0F);
  BOOST_TEST(1 - after[2] == 3.0F);
}

// "num_backward_flops": dL/dw2 and dL/dh1 take 2BDK each, dL/dw1 takes 2BDD (the notes' 4BDD also
// counts dL/dx).
BOOST_AUTO_TEST_CASE(backward_flops_op_by_op) {
  constexpr std::int64_t B = 4, D = 6, K = 3;
  const ops::Linear linear({});
  const auto work = [&](std::int64_t out, GradientMask wanted) {
    const TensorTypes inputs = {{Shape{{"batch", B}, {"in", D}}, DType::kF32},
                                {Shape{{"in", D}, {"out", out}}, DType::kF32}};
    double flops = 0;
    for (const Work& part : linear.backward_work({inputs.data(), inputs.size()}, wanted)) {
      flops += part.flops().value();
    }
    return flops;
  };
  constexpr GradientMask kBoth = 3, kWeightOnly = 2;
  BOOST_TEST(work(K, kWeightOnly) == 2.0 * B * D * K);
  BOOST_TEST(work(K, kBoth) - work(K, kWeightOnly) == 2.0 * B * D * K);
  BOOST_TEST(work(D, kWeightOnly) == 2.0 * B * D * D);
  BOOST_TEST(work(D, kBoth) == 4.0 * B * D * D);
}

}  // namespace
}  // namespace headroom
