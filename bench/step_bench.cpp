// Training step of the lecture's Cruncher against the machine's own sgemm rate, both measured in
// this process, and, when asked, against PyTorch in the same run:
//   step_bench [--dim 1024] [--layers 8] [--batch 256] [--optimizer sgd] [--threads 0] [--strict]
//              [--steps 30]
// Prints one JSON object. scripts/compare-with-pytorch runs both sides in turn.

#include "core/models/training_step.h"
#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/cpu/prepare_process.h"
#include "core/runtime/executor.h"
#include "trainer/measure/matmul_rate.h"

#include <boost/program_options.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace headroom;
using Clock = std::chrono::steady_clock;

/// Batches that are filled once: the benchmark times the step, not the loading.
class FixedBatches final : public runtime::BatchSource {
 public:
  void acquire(std::int64_t, int) override {}
  void release(std::int64_t, int) override {}
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Plan plan_of(const boost::program_options::variables_map& options) {
  Plan plan;
  plan.model.family = CruncherPlan{.dim = options["dim"].as<std::int64_t>(),
                                   .num_layers = options["layers"].as<std::int64_t>()};
  plan.training.micro_batch_size = options["batch"].as<std::int64_t>();
  const auto rule = from_name<OptimizerKind>(options["optimizer"].as<std::string>());
  if (!rule) throw Error("--optimizer: unknown optimizer");
  plan.training.optimizer = {
      .name = *rule, .lr = 1e-4, .alpha = 0.99, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};
  plan.training.threads = options["threads"].as<int>();
  return plan;
}

int run(int argc, char** argv) {
  namespace po = boost::program_options;
  po::options_description description("step_bench");
  auto add = description.add_options();
  add("dim", po::value<std::int64_t>()->default_value(1024));
  add("layers", po::value<std::int64_t>()->default_value(8));
  add("batch", po::value<std::int64_t>()->default_value(256));
  add("optimizer", po::value<std::string>()->default_value("sgd"));
  add("threads", po::value<int>()->default_value(0));
  add("steps", po::value<int>()->default_value(30));
  add("strict", po::bool_switch());
  po::variables_map options;
  po::store(po::parse_command_line(argc, argv, description), options);

  const Plan plan = plan_of(options);
  const Step step = models::training_step(plan, kCpuTraits);
  const ArenaPlan arena = plan_arena(step);
  const auto device = runtime::make_cpu_device(plan.training.threads, options["strict"].as<bool>());
  runtime::Ledger ledger(step);
  runtime::Executor executor(step, arena, *device, ledger);
  executor.initialise(1);
  FixedBatches batches;
  double flops = 0;
  const auto& model = std::get<CruncherPlan>(plan.model.family);
  const auto B = static_cast<double>(plan.training.micro_batch_size);
  const auto D = static_cast<double>(model.dim);
  const auto L = static_cast<double>(model.num_layers);
  // 6 B D^2 per square layer less the first layer's dx, which nobody needs; 6 B D for the head.
  flops = 6 * B * D * D * L - 2 * B * D * D + 6 * B * D;

  // Step and sgemm take turns, so that a change of the machine's speed meets both.
  std::vector<double> steps, rates;
  runtime::Scalars scalars{.learning_rate = plan.training.optimizer.lr};
  for (int i = 0; i < options["steps"].as<int>() + 2; ++i) {
    const Clock::time_point start = Clock::now();
    scalars.step = i + 1;
    (void)executor.run_step(scalars, batches);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (i < 2) continue;  // first touch of memory, then of caches
    steps.push_back(seconds);
    rates.push_back(trainer::time_matmul(*device, DType::kF32, plan.training.micro_batch_size,
                                         model.dim, model.dim, Seconds(0.02))
                        .rate.value());
  }
  const double step_s = median(steps);
  const double rate = median(rates);
  std::printf(
      "{\"dim\": %lld, \"layers\": %lld, \"batch\": %lld, \"optimizer\": \"%s\", "
      "\"device\": \"%s\", \"step_median_s\": %.6f, \"step_min_s\": %.6f, \"step_flops\": %.0f, "
      "\"step_flops_per_s\": %.4g, \"sgemm_flops_per_s\": %.4g, \"share_of_sgemm_rate\": %.4f}\n",
      static_cast<long long>(model.dim), static_cast<long long>(model.num_layers),
      static_cast<long long>(plan.training.micro_batch_size),
      options["optimizer"].as<std::string>().c_str(), device->description().c_str(), step_s,
      *std::min_element(steps.begin(), steps.end()), flops, flops / step_s, rate,
      flops / step_s / rate);
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
