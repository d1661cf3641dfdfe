// The fused head and cross-entropy against its three matrix products alone, on whole logits:
//   head_bench [threads, 2 unless given] [repeats, 5 unless given]
// Both columns of rates count the products' FLOPs only. `of products` is the ratio of the shortest
// times, first by the clock and then by processor time, which a busy machine disturbs less.

#include "core/ops/head_cross_entropy.h"
#include "core/optim/sgd.h"
#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/kernel_context.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace headroom;
using ops::HeadCrossEntropy;

constexpr std::int64_t kWidth = 768;

/// Shortest of several runs, by the clock and in processor time.
struct Times {
  double wall = std::numeric_limits<double>::infinity();
  double processor = std::numeric_limits<double>::infinity();

  template <class Work>
  void add(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t ticks = std::clock();
    work();
    processor = std::min(processor, static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
    wall = std::min(
        wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
};

class Unobserved final : public runtime::MemoryObserver {
 public:
  void on_write(std::size_t, Bytes) override {}
  void on_workspace(Bytes) override {}
};

/// The one fused call of a step, with memory of its own.
class HeadCall {
 public:
  HeadCall(std::int64_t rows, std::int64_t vocabulary) {
    Graph graph;
    const TensorId hidden = graph.parameter(
        {.stem = "hidden"}, {Shape{{"rows", rows}, {"in", kWidth}}}, Initializer::zeros());
    const TensorId weight = graph.parameter(
        {.stem = "weight"}, {Shape{{"vocab", vocabulary}, {"in", kWidth}}}, Initializer::zeros());
    const TensorId target = graph.input({.stem = "target"}, {Shape{{"rows", rows}}, DType::kI32});
    const auto& op = graph.own(std::make_unique<HeadCrossEntropy>(HeadCrossEntropy::Options{}));
    graph.set_loss(graph.apply(op, {hidden, weight, target}, {.stem = "loss"})[0]);
    step_ = make_step(std::move(graph), std::make_unique<optim::Sgd>(optim::Sgd::Options{}), {});
    call_ = &step_.sections[0].calls[0];
    memory_.resize(step_.tensors.size());
    for (TensorId id : call_->reads) hold(id);
    for (TensorId id : call_->writes) hold(id);
    hold(call_->workspace);
    fill(hidden, 1.0F);
    fill(weight, 0.05F);
  }

  void run(runtime::Device& device) {
    Unobserved observer;
    const runtime::Scalars scalars;
    runtime::KernelContext context(step_, *call_, scalars, device.queue(), observer);
    for (TensorId id : call_->reads) context.read_pointers.push_back(at(id));
    for (TensorId id : call_->writes) context.write_pointers.push_back(at(id));
    context.workspace_memory = at(call_->workspace);
    device.kernels().find(HeadCrossEntropy::kName, call_->pass, "cpu")(context);
  }
  [[nodiscard]] float* read(std::size_t i) { return static_cast<float*>(at(call_->reads[i])); }
  [[nodiscard]] float* write(std::size_t i) { return static_cast<float*>(at(call_->writes[i])); }

 private:
  static constexpr std::size_t kAlignment = 64;
  void hold(TensorId id) {
    if (!id.none()) {
      memory_[id.at()].resize(static_cast<std::size_t>(step_.bytes(id).value()) + kAlignment);
    }
  }
  void* at(TensorId id) {
    if (id.none()) return nullptr;
    void* start = memory_[id.at()].data();
    std::size_t room = memory_[id.at()].size();
    return std::align(kAlignment, room - kAlignment, start, room);
  }
  void fill(TensorId id, float scale) {
    auto* values = static_cast<float*>(at(id));
    std::uint32_t state = 1;
    for (std::int64_t i = 0; i < step_.tensor(id).type.shape.numel(); ++i) {
      state = state * 1664525U + 1013904223U;
      values[i] = (static_cast<float>(state >> 8) / 8388608.0F - 1.0F) * scale;
    }
  }

  Step step_;
  const OpCall* call_ = nullptr;
  std::vector<std::vector<std::byte>> memory_;
};

void products(runtime::Device& device,
              HeadCall& head,
              std::int64_t rows,
              std::int64_t vocabulary,
              float* logits) {
  const float* hidden = head.read(0);
  const float* weight = head.read(1);
  runtime::Queue& queue = device.queue();
  queue.matmul({.m = rows,
                .n = vocabulary,
                .k = kWidth,
                .transpose_b = true,
                .a = hidden,
                .b = weight,
                .c = logits,
                .lda = kWidth,
                .ldb = kWidth,
                .ldc = vocabulary});
  queue.matmul({.m = vocabulary,
                .n = kWidth,
                .k = rows,
                .transpose_a = true,
                .a = logits,
                .b = hidden,
                .c = head.write(2),
                .lda = vocabulary,
                .ldb = kWidth,
                .ldc = kWidth});
  queue.matmul({.m = rows,
                .n = kWidth,
                .k = vocabulary,
                .a = logits,
                .b = weight,
                .c = head.write(1),
                .lda = vocabulary,
                .ldb = kWidth,
                .ldc = kWidth});
}

void bench(int threads, int repeats, std::int64_t rows, std::int64_t vocabulary) {
  const auto device = runtime::make_cpu_device(threads, false);
  HeadCall head(rows, vocabulary);
  std::vector<float> logits(static_cast<std::size_t>(rows * vocabulary));
  Times fused;
  Times plain;
  for (int i = 0; i < repeats; ++i) {
    plain.add([&] { products(*device, head, rows, vocabulary, logits.data()); });
    fused.add([&] { head.run(*device); });
  }
  const double flops = 6.0 * static_cast<double>(rows * kWidth * vocabulary);
  std::printf("%6lld %8lld %12.1f %12.1f %10.2f %10.2f\n", static_cast<long long>(rows),
              static_cast<long long>(vocabulary), flops / plain.wall / 1e9,
              flops / fused.wall / 1e9, plain.wall / fused.wall, plain.processor / fused.processor);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  std::printf("%6s %8s %12s %12s %21s\n", "rows", "classes", "products", "head GF/s",
              "of products");
  for (const std::int64_t rows : {256, 1024}) {
    for (const std::int64_t vocabulary : {50257, 50304}) bench(threads, repeats, rows, vocabulary);
  }
  return 0;
}
