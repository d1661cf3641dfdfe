// Training step of a plan against the machine's own sgemm rate, both measured in this process:
//   step_bench PLAN [key.path=value ...] [--steps 30]
// Prints one JSON object.
// scripts/bench-step runs it in turn with PyTorch.

#include "core/describe/work_list.h"
#include "core/io/plan_yaml.h"
#include "core/models/training_step.h"
#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/cpu/prepare_process.h"
#include "core/runtime/executor.h"
#include "trainer/measure/matmul_rate.h"

#include <boost/program_options.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace headroom;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Batches that are filled once: the benchmark times the step, not the loading.
class FixedBatches final : public runtime::BatchSource {
 public:
  void acquire(std::int64_t, int) override {}
  void release(std::int64_t, int) override {}

  /// Token and class numbers below `classes`, real numbers in [-1, 1).
  static void fill(runtime::Executor& executor, std::int64_t classes) {
    std::mt19937 random(1);
    const Step& step = executor.step();
    const auto buffers = executor.batch_buffers();
    for (std::size_t slot = 0; slot < buffers.size(); ++slot) {
      for (std::size_t i = 0; i < buffers[slot].size(); ++i) {
        const TensorType& type = step.tensor(step.input_slots[slot][i]).type;
        for (std::int64_t e = 0; e < type.shape.numel(); ++e) {
          if (type.dtype == DType::kI32) {
            static_cast<std::int32_t*>(buffers[slot][i])[e] =
                static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(classes));
          } else {
            static_cast<float*>(buffers[slot][i])[e] =
                static_cast<float>(random()) * 0x1p-31F - 1.0F;
          }
        }
      }
    }
  }
};

std::int64_t classes_of(const Plan& plan) {
  if (const auto* model = std::get_if<TransformerPlan>(&plan.model.family)) {
    return model->vocab_size;
  }
  return 2;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int run(int argc, char** argv) {
  namespace po = boost::program_options;
  po::options_description description("step_bench");
  auto add = description.add_options();
  add("plan", po::value<std::string>()->required());
  add("words", po::value<std::vector<std::string>>()->default_value({}, ""));
  add("steps", po::value<int>()->default_value(30));
  po::positional_options_description positions;
  positions.add("plan", 1).add("words", -1);
  po::variables_map options;
  po::store(po::command_line_parser(argc, argv).options(description).positional(positions).run(),
            options);
  po::notify(options);

  const auto words = options["words"].as<std::vector<std::string>>();
  const Plan plan = io::load_plan(options["plan"].as<std::string>(), words).plan;
  const Step step = models::training_step(plan, kCpuTraits);
  const ArenaPlan arena = plan_arena(step);
  const bool strict = plan.training.deterministic == Determinism::kStrict;
  const auto device = runtime::make_cpu_device(plan.training.threads, strict);
  runtime::Ledger ledger(step);
  runtime::Executor executor(step, arena, *device, ledger);
  executor.initialise(1);
  FixedBatches batches;
  FixedBatches::fill(executor, classes_of(plan));
  const double flops = model_flops(work_of(step)).value();

  // Step and product take turns, so that a change of the machine's speed meets both.
  constexpr std::int64_t kProduct = 1024;
  std::vector<double> steps, rates;
  runtime::Scalars scalars{.learning_rate = plan.training.optimizer.lr,
                           .grad_clip_norm = plan.training.grad_clip_norm};
  if (plan.training.precision == Precision::kFp16Mixed) scalars.loss_scale = 1024;
  double loss = 0;
  for (int i = 0; i < options["steps"].as<int>() + 2; ++i) {
    const Clock::time_point start = Clock::now();
    scalars.step = i + 1;
    loss = executor.run_step(scalars, batches).loss;
    const double seconds = seconds_since(start);
    if (i < 2) continue;  // first touch of memory, then of caches
    steps.push_back(seconds);
    rates.push_back(
        trainer::time_matmul(*device, DType::kF32, kProduct, kProduct, kProduct, Seconds(0.02))
            .rate.value());
  }
  const double step_s = median(steps);
  const double rate = median(rates);
  std::printf(
      "{\"model\": \"%s\", \"parameters\": %lld, \"micro_batch\": %lld, \"seq_len\": %lld, "
      "\"precision\": \"%s\", \"optimizer\": \"%s\", \"device\": \"%s\", "
      "\"step_median_s\": %.6f, \"step_min_s\": %.6f, \"model_flops\": %.0f, "
      "\"step_flops_per_s\": %.4g, \"sgemm_flops_per_s\": %.4g, \"share_of_sgemm_rate\": %.4f, "
      "\"resident_bytes\": %lld, \"last_loss\": %.6f}\n",
      std::string(model_type(plan.model)).c_str(), static_cast<long long>(step.parameter_count),
      static_cast<long long>(plan.training.micro_batch_size),
      static_cast<long long>(plan.training.seq_len.value_or(0)),
      std::string(name(plan.training.precision)).c_str(),
      std::string(name(plan.training.optimizer.name)).c_str(), device->description().c_str(),
      step_s, *std::min_element(steps.begin(), steps.end()), flops, flops / step_s, rate,
      flops / step_s / rate, static_cast<long long>(device->memory().used.value()), loss);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  headroom::runtime::prepare_process(argv);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "step_bench: %s\n", error.what());
    return 2;
  }
}
