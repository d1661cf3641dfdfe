#include "trainer/text_generator.h"

#include "core/describe/convert.h"
#include "core/describe/error.h"
#include "core/models/build.h"
#include "core/runtime/executor.h"
#include "core/runtime/random/philox.h"
#include "trainer/checkpoint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

namespace headroom::trainer {
namespace {

constexpr std::int64_t kSmallestWindow = 64;

const TransformerPlan& transformer(const Plan& plan) {
  if (const auto* model = std::get_if<TransformerPlan>(&plan.model.family)) return *model;
  throw ConfigError(
      {{{},
        "model.type",
        std::string(model_type(plan.model)) + " reads no tokens: it cannot write text",
        "give the folder of a run that trained gpt2 or llama"}});
}

/// Draws from the softmax of `logits`.
std::int32_t draw(std::vector<float> logits, const DrawOptions& options, std::uint64_t number) {
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto likelier = [&](std::int32_t a, std::int32_t b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  };
  std::size_t kept = order.size();
  if (options.top_k > 0) kept = std::min(kept, static_cast<std::size_t>(options.top_k));
  if (options.temperature == 0) kept = 1;
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    likelier);
  if (kept == 1) return order[0];
  std::vector<double> weights(kept);
  const double largest = logits[static_cast<std::size_t>(order[0])];
  for (std::size_t i = 0; i < kept; ++i) {
    const double logit = logits[static_cast<std::size_t>(order[i])];
    weights[i] = std::exp((logit - largest) / options.temperature);
  }
  const runtime::RandomStream stream(options.seed, runtime::stream_id("generate"));
  double left = stream.uniform(number) * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t i = 0;
  while (i + 1 < kept && left >= weights[i]) left -= weights[i++];
  return order[i];
}

}  // namespace

/// The model laid out for one length of sequence.
struct TextGenerator::Window {
  Window(const Plan& plan, std::int64_t tokens, runtime::Device& device)
      : length(tokens),
        step(make(plan, device)),
        ledger(step),
        executor(step, plan_arena(step), device, ledger) {}

  static Step make(const Plan& plan, runtime::Device& device) {
    models::ScoringGraph scoring = models::build_scoring_transformer(
        transformer(plan), plan, models::compute_types(plan.training.precision));
    return make_forward_step(std::move(scoring.graph), scoring.logits,
                             {.matmul_workspace = device.matmul_workspace_size()});
  }

  std::int64_t length;
  Step step;
  runtime::Ledger ledger;
  runtime::Executor executor;
};

TextGenerator::TextGenerator(const Plan& plan,
                             std::filesystem::path checkpoint,
                             runtime::Device& device)
    : plan_(plan), checkpoint_(std::move(checkpoint)), device_(device) {
  (void)transformer(plan);
  plan_.training.micro_batch_size = 1;
}

TextGenerator::~TextGenerator() = default;

std::int64_t TextGenerator::context() const { return transformer(plan_).max_position_embeddings; }

TextGenerator::Window& TextGenerator::window_for(std::int64_t tokens) {
  const auto wanted = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tokens)));
  const std::int64_t length = std::min(context(), std::max(kSmallestWindow, wanted));
  if (window_ == nullptr || window_->length < length) {
    window_.reset();  // its memory goes first
    plan_.training.seq_len = length;
    window_ = std::make_unique<Window>(plan_, length, device_);
    load_parameters(checkpoint_, window_->executor);
  }
  return *window_;
}

std::int32_t TextGenerator::next(std::span<const std::int32_t> tokens, const DrawOptions& options) {
  if (tokens.empty()) throw Error("a text needs at least one token to continue from");
  const std::int64_t vocabulary = transformer(plan_).vocab_size;
  for (const std::int32_t token : tokens) {
    if (token < 0 || token >= vocabulary) {
      throw Error("token " + std::to_string(token) + " is outside the model's vocabulary of " +
                  std::to_string(vocabulary));
    }
  }
  const auto seen = std::min(static_cast<std::int64_t>(tokens.size()), context());
  Window& window = window_for(seen);
  // What stands behind the last token is not seen by it: attention is causal.
  std::vector<std::int32_t> input(static_cast<std::size_t>(window.length), 0);
  std::copy(tokens.end() - seen, tokens.end(), input.begin());
  const std::span<const std::byte> bytes = std::as_bytes(std::span(input));
  (void)window.executor.evaluate({&bytes, 1});
  const TensorInfo& info = window.step.tensor(window.step.loss);
  const auto width = static_cast<std::size_t>(vocabulary);
  std::vector<float> logits(width);
  const auto row = static_cast<std::uint64_t>(seen - 1);
  if (info.type.dtype == DType::kF32) {
    window.executor.read_tensor(window.step.loss, row * width * sizeof(float),
                                std::as_writable_bytes(std::span(logits)));
  } else {
    std::vector<std::uint16_t> bits(width);
    window.executor.read_tensor(window.step.loss, row * width * sizeof(std::uint16_t),
                                std::as_writable_bytes(std::span(bits)));
    for (std::size_t i = 0; i < width; ++i) {
      logits[i] = info.type.dtype == DType::kBf16 ? bf16_bits_to_float(bits[i])
                                                  : f16_bits_to_float(bits[i]);
    }
  }
  return draw(std::move(logits), options, drawn_++);
}

}  // namespace headroom::trainer
