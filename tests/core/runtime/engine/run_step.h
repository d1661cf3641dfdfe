#pragma once

#include "core/models/training_step.h"
#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/executor.h"
#include "core/runtime/random/philox.h"

#include <cstring>
#include <memory>
#include <vector>

namespace headroom::test {

/// Batches of seeded random values, written once: f32 rows and targets.
class RandomBatches final : public runtime::BatchSource {
 public:
  RandomBatches(const Step& step, const runtime::Executor& executor) {
    const auto buffers = executor.batch_buffers();
    for (std::size_t slot = 0; slot < buffers.size(); ++slot) {
      for (std::size_t i = 0; i < buffers[slot].size(); ++i) {
        const TensorInfo& info = step.tensor(step.input_slots[0][i]);
        fill(info, buffers[slot][i], slot * buffers[slot].size() + i);
      }
    }
  }
  void acquire(std::int64_t, int) override {}
  void release(std::int64_t, int) override {}

 private:
  static void fill(const TensorInfo& info, void* memory, std::uint64_t stream) {
    const runtime::RandomStream random(7, stream);
    const std::int64_t count = info.type.shape.numel();
    for (std::int64_t i = 0; i < count; ++i) {
      const float value = random.uniform(static_cast<std::uint64_t>(i)) - 0.5F;
      if (info.type.dtype == DType::kF32) {
        static_cast<float*>(memory)[i] = value;
      } else if (info.type.dtype == DType::kF64) {
        static_cast<double*>(memory)[i] = static_cast<double>(value);
      } else {
        static_cast<std::int32_t*>(memory)[i] = value > 0 ? 1 : 0;
      }
    }
  }
};

/// A whole engine on the CPU.
struct Engine {
  Engine(Step described, int threads, bool strict)
      : step(std::move(described)),
        device(runtime::make_cpu_device(threads, strict)),
        ledger(step),
        executor(step, plan_arena(step), *device, ledger) {
    executor.initialise(3);
    batches = std::make_unique<RandomBatches>(step, executor);
  }
  Engine(const Plan& plan, int threads, bool strict)
      : Engine(models::training_step(plan, kCpuTraits), threads, strict) {}

  double run(std::int64_t number, double rate = 0.01) {
    const runtime::Scalars scalars{.learning_rate = rate, .step = number, .grad_clip_norm = clip};
    return executor.run_step(scalars, *batches).loss;
  }

  /// The bytes of all parameters, one after the other.
  [[nodiscard]] std::vector<std::byte> parameters() const {
    std::vector<std::byte> all;
    for (TensorId id : step.parameters) {
      const auto size = static_cast<std::size_t>(step.bytes(id).value());
      all.resize(all.size() + size);
      executor.read_tensor(id, 0, std::span(all).last(size));
    }
    return all;
  }

  Step step;
  std::unique_ptr<runtime::Device> device;
  runtime::Ledger ledger;
  runtime::Executor executor;
  std::unique_ptr<RandomBatches> batches;
  double clip = 0;
};

inline Plan cruncher_plan(std::int64_t dim, std::int64_t layers, std::int64_t batch) {
  Plan plan;
  plan.model.family = CruncherPlan{.dim = dim, .num_layers = layers};
  plan.training.micro_batch_size = batch;
  plan.training.optimizer = {
      .name = OptimizerKind::kAdamw, .lr = 0.01, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};
  return plan;
}

inline Plan mlp_plan(ActivationKind activation, LossKind loss, std::int64_t batch) {
  Plan plan;
  plan.model.family = MlpPlan{.input_size = 33,
                              .hidden_sizes = {130, 17},
                              .output_size = 5,
                              .activation = activation,
                              .loss = loss};
  plan.model.init = Initialization::kTorchLinear;
  plan.training.micro_batch_size = batch;
  plan.training.optimizer = {.name = OptimizerKind::kSgd, .lr = 0.01, .momentum = 0.9};
  return plan;
}

}  // namespace headroom::test
