#include "core/describe/plan_rules.h"

#include "core/describe/format.h"
#include "core/describe/plan_schema.h"

namespace headroom {
namespace {

using Finding = std::optional<BrokenRule>;

Finding one_run_length(const Plan& plan, const Origins& given) {
  std::vector<std::string> written;
  for (const char* key : {"training.max_steps", "training.max_tokens", "training.epochs"}) {
    if (given.contains(key)) written.emplace_back(key);
  }
  if (written.size() == 1) return {};
  if (!written.empty()) {
    return BrokenRule{written[1], "cannot be given together with " + written[0],
                      "keep exactly one of max_steps, max_tokens, epochs"};
  }
  const std::string words =
      reads_tokens(plan.model) ? "max_steps, max_tokens or epochs" : "max_steps or epochs";
  return BrokenRule{"training.max_steps", "is missing: nothing says how long to train",
                    "give exactly one of " + words};
}

Finding clipping_sees_all_gradients(const Plan& plan, const Origins&) {
  const bool f16 = plan.training.precision == Precision::kFp16Mixed;
  if ((plan.training.grad_clip_norm == 0 && !f16) || !plan.training.optimizer_in_backward)
    return {};
  if (plan.training.grad_clip_norm == 0) {
    return BrokenRule{
        "training.optimizer_in_backward",
        "cannot be true with fp16-mixed: a step is skipped when any gradient overflows",
        "leave it out"};
  }
  return BrokenRule{"training.optimizer_in_backward",
                    "cannot be true while grad_clip_norm is above 0: the norm is only known when "
                    "every gradient is",
                    "remove one of the two"};
}

Finding nesterov_needs_momentum(const Plan& plan, const Origins&) {
  const OptimizerPlan& optimizer = plan.training.optimizer;
  if (!optimizer.nesterov || (optimizer.momentum > 0 && optimizer.dampening == 0)) return {};
  return BrokenRule{"training.optimizer.nesterov", "needs momentum above 0 and dampening 0",
                    "set training.optimizer.momentum, for example to 0.9"};
}

Finding rate_falls(const Plan& plan, const Origins&) {
  const double lr = plan.training.optimizer.lr;
  const double min_lr = plan.training.lr_schedule.min_lr;
  if (min_lr <= lr) return {};
  return BrokenRule{"training.lr_schedule.min_lr",
                    number_text(min_lr) + " is above the learning rate " + number_text(lr),
                    "the schedule goes from training.optimizer.lr down to min_lr"};
}

Finding warmup_ends(const Plan& plan, const Origins&) {
  const std::int64_t warmup = plan.training.lr_schedule.warmup_steps;
  if (!plan.training.max_steps || warmup <= *plan.training.max_steps) return {};
  return BrokenRule{"training.lr_schedule.warmup_steps",
                    std::to_string(warmup) + " is more than the run's " +
                        format_counted(*plan.training.max_steps, "step"),
                    "the learning rate would never be reached"};
}

Finding targets_fit_model(const Plan& plan, const Origins&) {
  const std::int64_t wanted = target_columns(plan.model);
  if (plan.data.target_columns == wanted) return {};
  return BrokenRule{"data.target_columns",
                    std::to_string(plan.data.target_columns) +
                        " targets per sample, but the model "
                        "compares with " +
                        std::to_string(wanted),
                    "leave it out, or change model.output_size or model.loss"};
}

Finding evaluation_has_data(const Plan& plan, const Origins&) {
  if (plan.training.eval_every == 0 || plan.data.held_out > 0) return {};
  return BrokenRule{"data.held_out", "is 0, so training.eval_every has nothing to evaluate on",
                    "leave it out for 0.1, or set a share"};
}

Finding sequence_fits_positions(const Plan& plan, const Origins&) {
  const auto* model = std::get_if<TransformerPlan>(&plan.model.family);
  const std::int64_t length = plan.training.seq_len.value_or(0);
  if (model == nullptr || length <= model->max_position_embeddings) return {};
  return BrokenRule{"training.seq_len",
                    std::to_string(length) + " tokens, but the model has " +
                        std::to_string(model->max_position_embeddings) + " positions",
                    "shorten it, or raise model.max_position_embeddings"};
}

Finding heads_share_keys_evenly(const Plan& plan, const Origins&) {
  const auto* model = std::get_if<TransformerPlan>(&plan.model.family);
  if (model == nullptr || model->num_attention_heads % model->num_key_value_heads == 0) return {};
  return BrokenRule{"model.num_key_value_heads",
                    std::to_string(model->num_key_value_heads) + " does not divide the " +
                        std::to_string(model->num_attention_heads) + " attention heads",
                    "every key and value head serves equally many queries"};
}

Finding raw_files_say_dtype(const Plan& plan, const Origins&) {
  const bool raw = plan.data.format == DataFormat::kBin && !plan.data.path.empty();
  if (!raw || plan.data.dtype) return {};
  return BrokenRule{"data.dtype", "is missing: a raw binary file does not say its number format",
                    range_text(*find_key("data.dtype"))};
}

Finding ranks_fill_hardware(const Plan& plan, const Origins&) {
  const std::int64_t ranks = world_size(plan.parallel);
  if (ranks == plan.hardware.count) return {};
  return BrokenRule{"hardware.count",
                    std::to_string(plan.hardware.count) +
                        " GPUs, but data x tensor x pipeline x context is " + std::to_string(ranks),
                    "leave out hardware.count or parallel.data to have it computed"};
}

}  // namespace

std::span<const Rule> plan_rules() {
  static const std::vector<Rule> rules = {
      {{"training.max_steps", "training.max_tokens", "training.epochs"}, one_run_length},
      {{"training.precision", "training.grad_clip_norm", "training.optimizer_in_backward"},
       clipping_sees_all_gradients},
      {{"training.optimizer.name", "training.optimizer.momentum", "training.optimizer.dampening",
        "training.optimizer.nesterov"},
       nesterov_needs_momentum},
      {{"training.optimizer.name", "training.optimizer.lr", "training.lr_schedule.min_lr"},
       rate_falls},
      {{"training.max_steps", "training.lr_schedule.warmup_steps"}, warmup_ends},
      {{"model.type", "model.output_size", "model.loss", "data.target_columns"}, targets_fit_model},
      {{"training.eval_every", "data.held_out"}, evaluation_has_data},
      {{"model.type", "model.max_position_embeddings", "training.seq_len"},
       sequence_fits_positions},
      {{"model.type", "model.num_attention_heads", "model.num_key_value_heads"},
       heads_share_keys_evenly},
      {{"data.path", "data.format", "data.dtype"}, raw_files_say_dtype},
      {{"parallel.data", "parallel.tensor", "parallel.pipeline", "parallel.context",
        "hardware.count"},
       ranks_fill_hardware},
  };
  return rules;
}

}  // namespace headroom
