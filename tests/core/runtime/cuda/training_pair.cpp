#include "tests/core/runtime/cuda/training_pair.h"

#include "core/models/training_step.h"
#include "core/runtime/cpu/cpu_device.h"
#include "tests/support/compare.h"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <type_traits>

namespace headroom::test {
namespace {

OptimizerPlan sgd() { return {.name = OptimizerKind::kSgd, .lr = 0.05}; }

std::vector<std::pair<std::string, OptimizerPlan>> optimizers() {
  return {
      {"sgd", sgd()},
      {"nesterov",
       {.name = OptimizerKind::kSgd,
        .lr = 0.02,
        .weight_decay = 0.01,
        .momentum = 0.9,
        .nesterov = true}},
      {"adagrad", {.name = OptimizerKind::kAdagrad, .lr = 0.01, .eps = 1e-10}},
      {"rmsprop",
       {.name = OptimizerKind::kRmsprop,
        .lr = 0.001,
        .momentum = 0.9,
        .alpha = 0.99,
        .centered = true,
        .eps = 1e-3}},
      {"adam",
       {.name = OptimizerKind::kAdam, .lr = 0.001, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-3}},
      {"adamw",
       {.name = OptimizerKind::kAdamw,
        .lr = 0.001,
        .weight_decay = 0.1,
        .beta1 = 0.9,
        .beta2 = 0.95,
        .eps = 1e-3}},
  };
}

Plan make(FamilyPlan family, std::int64_t batch, std::int64_t accumulation, OptimizerPlan rule) {
  Plan plan;
  plan.model.family = std::move(family);
  plan.training.micro_batch_size = batch;
  plan.training.gradient_accumulation_steps = accumulation;
  plan.training.optimizer = rule;
  plan.training.max_steps = 3;
  return plan;
}

template <class T>
void fill(void* memory, std::int64_t count, std::uint64_t state, std::int64_t classes) {
  auto* to = static_cast<T*>(memory);
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto bits = static_cast<std::int64_t>(state >> 33);
    if constexpr (std::is_integral_v<T>) {
      to[i] = static_cast<T>(bits % classes);
    } else {
      to[i] = static_cast<T>(static_cast<double>(bits) / (1LL << 30) - 1.0);
    }
  }
}

template <class T>
std::vector<double> numbers(const std::vector<std::byte>& bytes) {
  std::vector<T> typed(bytes.size() / sizeof(T));
  std::memcpy(typed.data(), bytes.data(), bytes.size());
  return {typed.begin(), typed.end()};
}

}  // namespace

std::vector<NamedPlan> training_plans() {
  std::vector<NamedPlan> plans;
  for (const auto& [rule, optimizer] : optimizers()) {
    for (const std::int64_t accumulation : {1, 4}) {
      const std::string tail = " " + rule + " accumulation " + std::to_string(accumulation);
      plans.push_back({"cruncher" + tail, make(CruncherPlan{.dim = 37, .num_layers = 3}, 13,
                                               accumulation, optimizer)});
      plans.push_back({"mlp" + tail, make(MlpPlan{.input_size = 19,
                                                  .hidden_sizes = {33, 8},
                                                  .output_size = 5,
                                                  .loss = LossKind::kCrossEntropy},
                                          7, accumulation, optimizer)});
    }
  }
  for (const auto& [name, kind] :
       {std::pair{"gelu", ActivationKind::kGelu}, std::pair{"gelu_tanh", ActivationKind::kGeluTanh},
        std::pair{"silu", ActivationKind::kSilu}}) {
    plans.push_back({std::string("mlp mse without bias ") + name, make(MlpPlan{.input_size = 16,
                                                                               .hidden_sizes = {65},
                                                                               .output_size = 3,
                                                                               .activation = kind,
                                                                               .bias = false},
                                                                       9, 2, sgd())});
  }
  plans.push_back(
      {"cruncher of one value", make(CruncherPlan{.dim = 1, .num_layers = 1}, 1, 1, sgd())});
  NamedPlan clipped{"cruncher clipped",
                    make(CruncherPlan{.dim = 24, .num_layers = 2}, 8, 2, sgd())};
  clipped.plan.training.grad_clip_norm = 0.25;
  clipped.plan.training.optimizer_in_backward = false;
  plans.push_back(clipped);
  return plans;
}

Training::Training(const Plan& plan, runtime::Device& device, DType dtype)
    : plan_(plan),
      step_(models::training_step(plan_, device.needs_staging() ? kCudaTraits : kCpuTraits, dtype)),
      arena_(plan_arena(step_)),
      ledger_(std::make_unique<runtime::Ledger>(step_)),
      executor_(std::make_unique<runtime::Executor>(step_, arena_, device, *ledger_)) {
  executor_->initialise(5);
}

double Training::step() {
  const runtime::Scalars scalars{.learning_rate = plan_.training.optimizer.lr,
                                 .step = ++steps_,
                                 .grad_clip_norm = plan_.training.grad_clip_norm};
  const runtime::StepResult result = executor_->run_step(scalars, *this);
  return result.loss + result.grad_norm;
}

std::vector<std::vector<double>> Training::values() const {
  std::vector<TensorId> ids = step_.parameters;
  for (const auto& states : step_.states) ids.insert(ids.end(), states.begin(), states.end());
  std::vector<std::vector<double>> all;
  for (TensorId id : ids) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(step_.bytes(id).value()));
    executor_->read_tensor(id, 0, bytes);
    all.push_back(step_.tensor(id).type.dtype == DType::kF64 ? numbers<double>(bytes)
                                                             : numbers<float>(bytes));
  }
  return all;
}

void Training::acquire(std::int64_t micro, int slot) {
  const auto buffers = executor_->batch_buffers();
  const auto& inputs = step_.input_slots[0];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& type = step_.tensor(inputs[i]).type;
    void* to = buffers[static_cast<std::size_t>(slot)][i];
    const std::int64_t count = type.shape.numel();
    const std::uint64_t seed = static_cast<std::uint64_t>(micro) * 1000 + i + 1;
    switch (type.dtype) {
      case DType::kF64:
        fill<double>(to, count, seed, 0);
        break;
      case DType::kF32:
        fill<float>(to, count, seed, 0);
        break;
      case DType::kI32:
        fill<std::int32_t>(to, count, seed, std::get<MlpPlan>(plan_.model.family).output_size);
        break;
      default:
        throw Error("no batches of " + std::string(name(type.dtype)));
    }
  }
}

void Training::release(std::int64_t /*micro*/, int /*slot*/) {}

void check_agreement(
    const NamedPlan& named, runtime::Device& device, DType dtype, int steps, double tolerance) {
  BOOST_TEST_CONTEXT(named.name << " in " << name(dtype)) {
    const auto cpu = runtime::make_cpu_device(1, false);
    Training expected(named.plan, *cpu, dtype);
    Training got(named.plan, device, dtype);
    for (int s = 1; s <= steps; ++s) {
      check_close({got.step()}, {expected.step()}, tolerance, "loss of step " + std::to_string(s));
    }
    const auto left = got.values();
    const auto right = expected.values();
    BOOST_REQUIRE_EQUAL(left.size(), right.size());
    for (std::size_t t = 0; t < left.size(); ++t) {
      // A state that is all zeros but for rounding is compared as if it had size 1e-3.
      check_close(left[t], right[t], tolerance, "tensor " + std::to_string(t), 1e-3);
    }
  }
}

}  // namespace headroom::test
