#include "core/describe/plan.h"

#include "core/describe/error.h"
#include "core/describe/units.h"

#include <cmath>

namespace headroom {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Samples of a micro batch count as tokens when the model does not read tokens.
std::int64_t tokens_per_sample(const Plan& plan) {
  return reads_tokens(plan.model) ? plan.training.seq_len.value_or(1) : 1;
}

}  // namespace

std::string_view model_type(const ModelPlan& model) {
  return std::visit(
      Overloaded{[](const CruncherPlan&) { return std::string_view("cruncher"); },
                 [](const MlpPlan&) { return std::string_view("mlp"); },
                 [](const TransformerPlan& transformer) { return name(transformer.kind); }},
      model.family);
}

bool reads_tokens(const ModelPlan& model) {
  return std::holds_alternative<TransformerPlan>(model.family);
}

std::int64_t input_columns(const ModelPlan& model) {
  return std::visit(Overloaded{[](const CruncherPlan& cruncher) { return cruncher.dim; },
                               [](const MlpPlan& mlp) { return mlp.input_size; },
                               [](const TransformerPlan&) { return std::int64_t{1}; }},
                    model.family);
}

std::int64_t target_columns(const ModelPlan& model) {
  return std::visit(Overloaded{[](const CruncherPlan&) { return std::int64_t{1}; },
                               [](const MlpPlan& mlp) {
                                 return mlp.loss == LossKind::kMse ? mlp.output_size : 1;
                               },
                               [](const TransformerPlan&) { return std::int64_t{1}; }},
                    model.family);
}

std::int64_t global_batch_size(const Plan& plan) {
  const std::int64_t per_rank =
      checked_multiply(plan.training.micro_batch_size, plan.training.gradient_accumulation_steps,
                       "micro_batch_size x gradient_accumulation_steps");
  return checked_multiply(per_rank, plan.parallel.data, "global batch size");
}

std::int64_t tokens_per_step(const Plan& plan) {
  return checked_multiply(global_batch_size(plan), tokens_per_sample(plan), "tokens per step");
}

std::int64_t world_size(const ParallelPlan& parallel) {
  std::int64_t ranks = checked_multiply(parallel.data, parallel.tensor, "number of GPUs");
  ranks = checked_multiply(ranks, parallel.pipeline, "number of GPUs");
  return checked_multiply(ranks, parallel.context, "number of GPUs");
}

std::int64_t total_steps(const Plan& plan, std::int64_t samples) {
  const TrainingPlan& training = plan.training;
  if (training.max_steps) return *training.max_steps;
  if (training.max_tokens) return divide_up(*training.max_tokens, tokens_per_step(plan));
  if (!training.epochs) return 0;
  if (samples <= 0) {
    throw Error(
        "training.epochs: the number of samples is unknown, so epochs cannot be counted "
        "in steps; give training.max_steps instead",
        ExitCode::kUsage);
  }
  const double seen = *training.epochs * static_cast<double>(samples);
  return static_cast<std::int64_t>(std::ceil(seen / static_cast<double>(global_batch_size(plan))));
}

DType compute_dtype(Precision precision) {
  switch (precision) {
    case Precision::kF32:
      return DType::kF32;
    case Precision::kTf32:
      return DType::kTf32;
    case Precision::kBf16Mixed:
    case Precision::kBf16True:
      return DType::kBf16;
    case Precision::kFp16Mixed:
      return DType::kF16;
    case Precision::kFp8Mixed:
      return DType::kF8e4m3;
  }
  throw Error("unknown precision");
}

}  // namespace headroom
