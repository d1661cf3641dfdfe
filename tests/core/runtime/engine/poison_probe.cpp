// A program that must die under the address sanitizer: its op remembers where its input lay in the
// forward pass and reads it again in backward, although it declared that it saves nothing. By then
// the input's life is over and the arena has poisoned its bytes.
//   poison_probe stale    the op described above
//   poison_probe honest   the same op that declares what it saves; runs to the end

#include "core/ops/mse.h"
#include "core/optim/rules.h"
#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/executor.h"
#include "tests/core/runtime/engine/known_op_device.h"

#include <cstdio>
#include <cstring>

namespace headroom {
namespace {

constexpr std::int64_t kSize = 64;

class Square final : public Op {
 public:
  explicit Square(bool honest) : honest_(honest) {}
  std::string_view name() const override { return "square"; }
  OutputSpecs outputs(std::span<const TensorType> in) const override { return {{.type = in[0]}}; }
  SavedOperands saved() const override {
    return honest_ ? SavedOperands{.inputs = {0}, .outputs = {}} : SavedOperands{};
  }
  Work forward_work(std::span<const TensorType>) const override { return {}; }
  SmallList<Work, 3> backward_work(std::span<const TensorType>, GradientMask) const override {
    return {};
  }
  [[nodiscard]] bool honest() const { return honest_; }

 private:
  bool honest_;
};

const float* remembered = nullptr;

void forward(runtime::KernelContext& context) {
  remembered = context.read<float>(0);
  auto* y = context.write<float>(0, kSize);
  for (std::int64_t i = 0; i < kSize; ++i) y[i] = remembered[i] * remembered[i];
}

void backward(runtime::KernelContext& context) {
  const float* x = context.op<Square>().honest() ? context.read<float>(0) : remembered;
  const auto* dy = context.read<float>(context.output_gradient(0));
  auto* dx = context.write<float>(0, kSize);
  for (std::int64_t i = 0; i < kSize; ++i) dx[i] = 2 * x[i] * dy[i];
}

class NoBatches final : public runtime::BatchSource {
 public:
  void acquire(std::int64_t, int) override {}
  void release(std::int64_t, int) override {}
};

void run(bool honest) {
  Graph graph;
  const TensorType type{Shape{{"n", kSize}}, DType::kF32};
  const TensorId target = graph.input({.stem = "target"}, type);
  const TensorId w = graph.parameter({.stem = "w"}, type, Initializer::ones());
  const auto& square = graph.own(std::make_unique<Square>(honest));
  // The input of the second call is an activation: it dies in forward unless backward wants it.
  const TensorId x = graph.apply(square, {w}, {.stem = "x"})[0];
  const TensorId y = graph.apply(square, {x}, {.stem = "y"})[0];
  const auto& mse = graph.own(std::make_unique<ops::MeanSquaredError>(1.0));
  graph.set_loss(
      graph.apply(mse, {y, target}, {.stem = "loss"}, Category::kTemporaries, Phase::kLoss)[0]);
  const Step step =
      make_step(std::move(graph), optim::make_rule({.name = OptimizerKind::kSgd, .lr = 0.1}), {});
  test::KnownOpDevice device("square", forward, backward);
  runtime::Ledger ledger(step);
  runtime::Executor executor(step, plan_arena(step), device, ledger);
  executor.initialise(1);
  NoBatches batches;
  (void)executor.run_step({.learning_rate = 0.1, .step = 1}, batches);
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  headroom::run(std::strcmp(argv[1], "honest") == 0);
  std::puts("ran to the end");
  return 0;
}
