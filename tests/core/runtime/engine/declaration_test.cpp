// What an op declares is all its kernels get, and a wrong declaration is found out.

#include <boost/test/unit_test.hpp>

#include "core/ops/mse.h"
#include "core/optim/rules.h"
#include "core/runtime/kernel_context.h"
#include "tests/core/runtime/engine/run_step.h"

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

/// A CPU device that also knows the op above.
class DeviceWithDouble final : public runtime::Device {
 public:
  DeviceWithDouble() : cpu_(runtime::make_cpu_device(1, false)), kernels_(cpu_->kernels()) {
    kernels_.add("double", Pass::kForward, double_forward);
    kernels_.add("double", Pass::kBackward, double_backward);
  }
  std::string_view name() const override { return "cpu"; }
  std::string description() const override { return "test"; }
  const runtime::KernelTable& kernels() const override { return kernels_; }
  runtime::Queue& queue() override { return cpu_->queue(); }
  void* allocate(Bytes size, Place place) override { return cpu_->allocate(size, place); }
  void release(void* memory, Place place) noexcept override { cpu_->release(memory, place); }
  void copy_to_device(void* d, const void* h, Bytes n) override { cpu_->copy_to_device(d, h, n); }
  void copy_to_host(void* h, const void* d, Bytes n) override { cpu_->copy_to_host(h, d, n); }
  void fill_zero(void* d, Bytes n) override { cpu_->fill_zero(d, n); }
  void synchronize() override {}
  bool immediate() const override { return true; }
  bool needs_staging() const override { return false; }
  Bytes matmul_workspace_size() const override { return Bytes(0); }
  void set_matmul_workspace(void*, Bytes) override {}
  void upload(int, void*, const void*, Bytes) override {}
  void await_upload(int) override {}
  void mark_consumed(int) override {}
  void await_staging(int) override {}
  runtime::DeviceMemory memory() const override { return cpu_->memory(); }
  std::vector<runtime::FixedPart> fixed_parts() const override { return {}; }
  void forbid(void* memory, Bytes size) noexcept override { cpu_->forbid(memory, size); }
  void permit(void* memory, Bytes size) noexcept override { cpu_->permit(memory, size); }

 private:
  std::unique_ptr<runtime::Device> cpu_;
  runtime::KernelTable kernels_;
};

/// loss = mse(2 w, target)
Step describe(Double::Lies lies) {
  Graph graph;
  const TensorType type{Shape{{"n", 100}}, DType::kF32};
  const TensorId target = graph.input({.stem = "target"}, type);
  const TensorId w = graph.parameter({.stem = "w"}, type, Initializer::normal(1));
  const auto& op = graph.own(std::make_unique<Double>(lies));
  const TensorId y = graph.apply(op, {w}, {.stem = "y"})[0];
  const auto& mse = graph.own(std::make_unique<ops::MeanSquaredError>(1.0));
  graph.set_loss(graph.apply(mse, {y, target}, {.stem = "loss"}, Category::kTemporaries,
                             Phase::kLoss)[0]);
  return make_step(std::move(graph),
                   optim::make_rule({.name = OptimizerKind::kSgd, .lr = 0.1}), {});
}

PlaceUsage measured(const Step& step) {
  DeviceWithDouble device;
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
