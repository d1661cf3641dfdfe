#include "core/ops/linear.h"
#include "core/ops/mse.h"
#include "core/optim/rules.h"
#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/executor.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom {
namespace {

class FixedBatches final : public runtime::BatchSource {
 public:
  void acquire(std::int64_t, int) override {}
  void release(std::int64_t, int) override {}
};

// "g2 += grad**2; p.data -= lr * grad / torch.sqrt(g2 + 1e-5)"
// One weight, y = w x with x = 1 and target 0 under the squared error: the gradient is 2 w.
BOOST_AUTO_TEST_CASE(adagrad_as_in_the_notes) {
  Graph graph;
  const TensorType scalar_row{Shape{{"batch", 1}, {"in", 1}}, DType::kF64};
  const TensorId x = graph.input({.stem = "x"}, scalar_row);
  const TensorId target = graph.input({.stem = "target"}, {Shape{{"batch", 1}}, DType::kF64});
  const TensorId w = graph.parameter({.stem = "w"}, {Shape{{"in", 1}, {"out", 1}}, DType::kF64},
                                     Initializer::constant(3));
  const auto& linear =
      graph.own(std::make_unique<ops::Linear>(ops::Linear::Options{.squeeze = true}));
  const TensorId y = graph.apply(linear, {x, w}, {.stem = "y"})[0];
  const auto& mse = graph.own(std::make_unique<ops::MeanSquaredError>(1.0));
  graph.set_loss(
      graph.apply(mse, {y, target}, {.stem = "loss"}, Category::kTemporaries, Phase::kLoss)[0]);
  const Step step = make_step(
      std::move(graph),
      optim::make_rule(
          {.name = OptimizerKind::kAdagrad, .lr = 0.1, .eps = 1e-5, .eps_inside_root = true}),
      {});
  const auto device = runtime::make_cpu_device(1, false);
  runtime::Ledger ledger(step);
  runtime::Executor executor(step, plan_arena(step), *device, ledger);
  executor.initialise(0);
  for (const auto& slot : executor.batch_buffers()) {
    *static_cast<double*>(slot[0]) = 1;
    *static_cast<double*>(slot[1]) = 0;
  }
  FixedBatches batches;
  double p = 3, g2 = 0;
  for (std::int64_t t = 1; t <= 10; ++t) {
    const double grad = 2 * p;
    g2 += grad * grad;
    p -= 0.1 * grad / std::sqrt(g2 + 1e-5);
    (void)executor.run_step({.learning_rate = 0.1, .step = t}, batches);
    double ours = 0;
    executor.read_tensor(w, 0, std::as_writable_bytes(std::span(&ours, 1)));
    BOOST_TEST(ours == p, boost::test_tools::tolerance(1e-14));
  }
}

// "AdaGrad: accumulates squared gradients", "RMSProp: AdaGrad + exp average",
// "Adam: RMSProp + momentum": one, one and two values per parameter.
BOOST_AUTO_TEST_CASE(states_per_parameter) {
  const TensorType parameter{Shape{{"n", 10}}, DType::kF32};
  const auto states = [&](OptimizerKind kind) {
    return optim::make_rule({.name = kind, .lr = 0.1, .alpha = 0.99, .beta1 = 0.9, .beta2 = 0.99})
        ->states(parameter)
        .size();
  };
  BOOST_TEST(states(OptimizerKind::kSgd) == 0U);
  BOOST_TEST(states(OptimizerKind::kAdagrad) == 1U);
  BOOST_TEST(states(OptimizerKind::kRmsprop) == 1U);
  BOOST_TEST(states(OptimizerKind::kAdam) == 2U);
  BOOST_TEST(states(OptimizerKind::kAdamw) == 2U);
}

}  // namespace
}  // namespace headroom
