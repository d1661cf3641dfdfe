#include "core/describe/plan_schema_parts.h"

#include <algorithm>
#include <array>

namespace headroom::schema {
namespace {

/// The GPUs that the other kinds of parallelism leave for data parallel ranks.
KeyValue default_data_ranks(const Plan& plan) {
  const ParallelPlan& parallel = plan.parallel;
  const std::int64_t model_ranks = parallel.tensor * parallel.pipeline * parallel.context;
  return std::max<std::int64_t>(1, plan.hardware.count / model_ranks);
}

std::string only_with_tensor(const Plan& plan) {
  return plan.parallel.tensor > 1 ? std::string() : "it needs parallel.tensor above 1";
}

std::string only_with_pipeline(const Plan& plan) {
  return plan.parallel.pipeline > 1 ? std::string() : "it needs parallel.pipeline above 1";
}

constexpr double kMostRanks = 1048576;

KeySpec tensor_key() {
  return {.path = "parallel.tensor",
          .kind = KeyKind::kInteger,
          .unit = "GPUs",
          .default_text = "1",
          .limits = between(1, kMostRanks),
          .slider = log_slider(1, 64),
          .meaning = "GPUs that share every matrix product.",
          .memory = "Weights, gradients, optimizer state and most activations are divided by it.",
          .time = "Divides the matrix products; adds two all-reduces per layer and pass.",
          .aliases = {{"tp"}, {"tensor_parallel_size"}, {"tensor_model_parallel_size"}},
          .access = field([](auto& plan) { return &plan.parallel.tensor; }),
          .fallback = always<std::int64_t{1}>};
}

KeySpec sequence_parallel_key() {
  return {.path = "parallel.sequence_parallel",
          .kind = KeyKind::kBool,
          .default_text = "false",
          .meaning = "Split along the sequence what tensor parallelism leaves whole.",
          .memory = "Divides the remaining activations by parallel.tensor.",
          .time = "Turns all-reduces into all-gathers and reduce-scatters of the same volume.",
          .access = field([](auto& plan) { return &plan.parallel.sequence_parallel; }),
          .fallback = always<false>,
          .depends_on = "parallel.tensor",
          .not_applicable = only_with_tensor};
}

KeySpec pipeline_key() {
  return {.path = "parallel.pipeline",
          .kind = KeyKind::kInteger,
          .unit = "stages",
          .default_text = "1",
          .limits = between(1, kMostRanks),
          .slider = log_slider(1, 64),
          .meaning = "Stages that the layers are divided into, one GPU each.",
          .memory = "Divides weights and their state; early stages keep several micro batches.",
          .time = "Stages idle at the start and end of a step (the bubble).",
          .aliases = {{"pp"}, {"pipeline_parallel_size"}, {"pipeline_model_parallel_size"}},
          .access = field([](auto& plan) { return &plan.parallel.pipeline; }),
          .fallback = always<std::int64_t{1}>};
}

KeySpec virtual_stages_key() {
  return {.path = "parallel.virtual_stages",
          .kind = KeyKind::kInteger,
          .unit = "stages per GPU",
          .default_text = "1",
          .limits = between(1, 4096),
          .slider = linear_slider(1, 16),
          .meaning = "Pieces of the model that each pipeline GPU holds, taken in turns.",
          .memory = "Keeps somewhat more activations.",
          .time = "Divides the bubble by it; adds transfers.",
          .aliases = {{"vpp"}},
          .access = field([](auto& plan) { return &plan.parallel.virtual_stages; }),
          .fallback = always<std::int64_t{1}>,
          .depends_on = "parallel.pipeline",
          .not_applicable = only_with_pipeline};
}

KeySpec context_key() {
  return {.path = "parallel.context",
          .kind = KeyKind::kInteger,
          .unit = "GPUs",
          .default_text = "1",
          .limits = between(1, kMostRanks),
          .slider = log_slider(1, 64),
          .meaning = "GPUs that share one sequence, each with a piece of it.",
          .memory = "Divides activations and logits.",
          .time = "Divides the work per sequence; keys and values travel round the GPUs.",
          .aliases = {{"cp"}, {"context_parallel_size"}},
          .access = field([](auto& plan) { return &plan.parallel.context; }),
          .fallback = always<std::int64_t{1}>};
}

KeySpec data_key() {
  return {.path = "parallel.data",
          .kind = KeyKind::kInteger,
          .unit = "ranks",
          .default_text = "hardware.count / (tensor x pipeline x context)",
          .limits = between(1, kMostRanks),
          .slider = log_slider(1, 4096),
          .meaning = "Copies of the model that train on different samples and average gradients.",
          .memory = "None by itself; see zero_stage.",
          .time = "Multiplies the samples per step; adds one reduction of all gradients.",
          .aliases = {{"dp"}, {"data_parallel_size"}},
          .access = field([](auto& plan) { return &plan.parallel.data; }),
          .fallback = default_data_ranks};
}

KeySpec zero_stage_key() {
  return {.path = "parallel.zero_stage",
          .kind = KeyKind::kInteger,
          .default_text = "0",
          .limits = between(0, 3),
          .slider = linear_slider(0, 3),
          .meaning =
              "What the data parallel ranks divide among them: 1 optimizer state, 2 also "
              "gradients, 3 also weights.",
          .memory = "The named parts are divided by parallel.data.",
          .time = "Stage 3 gathers the weights again for every pass.",
          .aliases = {{"zero"}},
          .access = field([](auto& plan) { return &plan.parallel.zero_stage; }),
          .fallback = always<std::int64_t{0}>};
}

KeySpec expert_key() {
  return {.path = "parallel.expert",
          .kind = KeyKind::kInteger,
          .unit = "ranks",
          .default_text = "1",
          .limits = between(1, kMostRanks),
          .slider = log_slider(1, 256),
          .meaning = "Data parallel ranks that divide the experts of a mixture among them.",
          .memory = "Divides the experts' weights and state.",
          .time = "Tokens travel to their experts and back in every such layer.",
          .aliases = {{"ep"}, {"expert_parallel_size"}, {"expert_model_parallel_size"}},
          .access = field([](auto& plan) { return &plan.parallel.expert; }),
          .fallback = always<std::int64_t{1}>};
}

}  // namespace

std::vector<KeySpec> parallel_keys() {
  return {tensor_key(),     pipeline_key(),          context_key(),        data_key(),
          zero_stage_key(), sequence_parallel_key(), virtual_stages_key(), expert_key()};
}

}  // namespace headroom::schema
