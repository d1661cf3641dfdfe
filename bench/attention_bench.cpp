// Attention, forward and backward, against the machine's own sgemm rate measured in turn with it:
//   attention_bench [--batch 1] [--time 1024] [--heads 12] [--kv-heads 12] [--head-dim 64]
//                   [--window 0] [--chunk 64] [--eager] [--threads 0] [--repeat 20]
// Operands are packed as GPT-2's projection writes them. Prints one JSON object; rates count the
// products that are computed.

#include "core/describe/step.h"
#include "core/describe/work_list.h"
#include "core/ops/attention.h"
#include "core/ops/elementwise.h"
#include "core/ops/reduce.h"
#include "core/optim/sgd.h"
#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/cpu/prepare_process.h"
#include "core/runtime/kernel_context.h"
#include "trainer/measure/matmul_rate.h"

#include <boost/program_options.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

namespace {

using namespace headroom;
using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Step attention_step(const ops::Attention::Options& options, std::int64_t batch, std::int64_t time) {
  const std::int64_t columns = (options.heads + 2 * options.kv_heads) * options.head_dim;
  const Shape shape{{"batch", batch}, {"time", time}, {"columns", columns}};
  Graph graph;
  const TensorId qkv = graph.parameter({.stem = "qkv"}, {shape, DType::kF32}, Initializer::zeros());
  const TensorId out =
      graph.apply(graph.own(std::make_unique<ops::Attention>(options)), {qkv}, {.stem = "y"})[0];
  const TensorId probe =
      graph.parameter({.stem = "probe"}, graph.tensor(out).type, Initializer::zeros());
  const TensorId product =
      graph.apply(graph.own(std::make_unique<ops::Mul>()), {out, probe}, {.stem = "product"})[0];
  const auto& sum = graph.own(std::make_unique<ops::Reduce>("b t c ->", ops::Reduction::kSum));
  graph.set_loss(graph.apply(sum, {product}, {.stem = "loss"})[0]);
  return make_step(std::move(graph), std::make_unique<optim::Sgd>(optim::Sgd::Options{}), {});
}

/// Memory for the operands of attention's two calls, and the time that each takes.
class Calls final : private runtime::MemoryObserver {
 public:
  Calls(const Step& step, runtime::Device& device) : step_(step), device_(device) {
    for (const Section& section : step.sections) {
      for (const OpCall& call : section.calls) {
        if (call.op->name() == ops::Attention::kName) calls_[call.pass] = &call;
      }
    }
  }
  double run(Pass pass) {
    const OpCall& call = *calls_.at(pass);
    const runtime::Scalars scalars;
    runtime::KernelContext context(step_, call, scalars, device_.queue(), *this);
    for (TensorId id : call.reads) context.read_pointers.push_back(memory(id));
    for (TensorId id : call.writes) context.write_pointers.push_back(memory(id));
    context.workspace_memory = memory(call.workspace);
    const runtime::KernelFunction kernel =
        device_.kernels().find(call.op->name(), pass, device_.name());
    const Clock::time_point start = Clock::now();
    kernel(context);
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

 private:
  float* memory(TensorId id) {
    if (id.none()) return nullptr;
    std::vector<float>& values = tensors_[id];
    const auto count = static_cast<std::size_t>(step_.bytes(id).value()) / sizeof(float);
    for (std::size_t i = values.size(); i < count; ++i) {
      values.push_back(std::sin(static_cast<float>(i % 9973)));
    }
    return values.data();
  }
  void on_write(std::size_t, Bytes) override {}
  void on_workspace(Bytes) override {}

  const Step& step_;
  runtime::Device& device_;
  std::map<Pass, const OpCall*> calls_;
  std::map<TensorId, std::vector<float>> tensors_;
};

int run(int argc, char** argv) {
  namespace po = boost::program_options;
  po::options_description description("attention_bench");
  auto add = description.add_options();
  add("batch", po::value<std::int64_t>()->default_value(1));
  add("time", po::value<std::int64_t>()->default_value(1024));
  add("heads", po::value<std::int64_t>()->default_value(12));
  add("kv-heads", po::value<std::int64_t>()->default_value(12));
  add("head-dim", po::value<std::int64_t>()->default_value(64));
  add("window", po::value<std::int64_t>()->default_value(0));
  add("chunk", po::value<std::int64_t>()->default_value(64));
  add("eager", po::bool_switch());
  add("threads", po::value<int>()->default_value(0));
  add("repeat", po::value<int>()->default_value(20));
  po::variables_map options;
  po::store(po::parse_command_line(argc, argv, description), options);
  const auto number = [&](const char* name) { return options[name].as<std::int64_t>(); };

  const Step step =
      attention_step({.heads = number("heads"),
                      .kv_heads = number("kv-heads"),
                      .head_dim = number("head-dim"),
                      .window = number("window"),
                      .kind = options["eager"].as<bool>() ? Attention::kEager : Attention::kFlash,
                      .packed = true,
                      .chunk = number("chunk")},
                     number("batch"), number("time"));
  const auto device = runtime::make_cpu_device(options["threads"].as<int>(), true);
  Calls calls(step, *device);
  double flops[2] = {};
  for (const WorkItem& item : work_of(step)) {
    if (item.op != ops::Attention::kName) continue;
    flops[item.phase == Phase::kBackward ? 1 : 0] += item.work.matmul_flops.value();
  }

  std::vector<double> forward, backward, rates;
  for (int i = 0; i < options["repeat"].as<int>() + 2; ++i) {
    const double times[] = {calls.run(Pass::kForward), calls.run(Pass::kBackward)};
    if (i < 2) continue;  // first touch of memory, then of caches
    forward.push_back(times[0]);
    backward.push_back(times[1]);
    rates.push_back(
        trainer::time_matmul(*device, DType::kF32, 1024, 1024, 1024, Seconds(0.02)).rate.value());
  }
  const double rate = median(rates);
  const double seconds[] = {median(forward), median(backward)};
  std::printf(
      "{\"device\": \"%s\", \"forward_s\": %.6f, \"backward_s\": %.6f, \"forward_flops_per_s\": "
      "%.4g, \"backward_flops_per_s\": %.4g, \"sgemm_flops_per_s\": %.4g, \"forward_share\": %.3f, "
      "\"backward_share\": %.3f, \"forward_min_s\": %.6f, \"backward_min_s\": %.6f}\n",
      device->description().c_str(), seconds[0], seconds[1], flops[0] / seconds[0],
      flops[1] / seconds[1], rate, flops[0] / seconds[0] / rate, flops[1] / seconds[1] / rate,
      *std::min_element(forward.begin(), forward.end()),
      *std::min_element(backward.begin(), backward.end()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  headroom::runtime::prepare_process(argv);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attention_bench: %s\n", error.what());
    return 2;
  }
}
