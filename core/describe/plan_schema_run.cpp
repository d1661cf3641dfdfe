#include "core/describe/plan_schema_parts.h"

namespace headroom::schema {
namespace {

std::string only_falling(const Plan& plan) {
  if (plan.training.lr_schedule.name != LrSchedule::kConstant) return {};
  return "a constant schedule never falls; choose linear, cosine or wsd";
}

std::string only_with_attention(const Plan& plan) {
  if (reads_tokens(plan.model)) return {};
  return "models of type " + std::string(model_type(plan.model)) + " have no attention";
}

std::string only_with_tokens(const Plan& plan) {
  if (reads_tokens(plan.model)) return {};
  return "models of type " + std::string(model_type(plan.model)) +
         " read no tokens; give max_steps or epochs";
}

std::string only_every(const Plan& plan) {
  if (plan.training.activation_checkpointing.policy == RecomputePolicy::kEvery) return {};
  return "it goes with activation_checkpointing: {every: k} alone";
}

KeySpec schedule_name_key() {
  return {.path = "training.lr_schedule.name",
          .kind = KeyKind::kWord,
          .default_text = "constant",
          .choices = choices<LrSchedule>(),
          .meaning = "How the learning rate moves after the warm-up.",
          .aliases = {{"lr_scheduler"}, {"lr_scheduler_type"}},
          .access = field([](auto& plan) { return &plan.training.lr_schedule.name; }),
          .fallback = always<LrSchedule::kConstant>};
}

KeySpec warmup_key() {
  return {.path = "training.lr_schedule.warmup_steps",
          .kind = KeyKind::kInteger,
          .unit = "steps",
          .default_text = "0",
          .limits = size_from(0),
          .slider = log_slider(1, 10000),
          .meaning = "Steps over which the rate climbs in a straight line to lr.",
          .aliases = {{"lr_warmup_steps"}, {.word = "warmup_ratio", .ratio_of_steps = true}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.lr_schedule.warmup_steps; }),
          .fallback = always<std::int64_t{0}>};
}

KeySpec min_lr_key() {
  return {.path = "training.lr_schedule.min_lr",
          .kind = KeyKind::kReal,
          .default_text = "0",
          .limits = at_least(0),
          .slider = log_slider(1e-8, 1e-1, 10),
          .meaning = "Where the rate ends.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.lr_schedule.min_lr; }),
          .fallback = always<0.0>,
          .depends_on = "training.lr_schedule.name",
          .not_applicable = only_falling};
}

KeySpec clip_key() {
  return {.path = "training.grad_clip_norm",
          .kind = KeyKind::kReal,
          .default_text = "0 (off)",
          .limits = at_least(0),
          .slider = linear_slider(0, 5, 0.1),
          .meaning =
              "All gradients together are scaled down to this length when they are longer; "
              "0 never scales.",
          .memory = "Above 0, all gradients live until the last one is known.",
          .time = "Above 0, reads all gradients once more.",
          .aliases = {{"clip_grad_norm"}, {"max_norm"}, {"max_grad_norm"}, {"gradient_clip_val"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.grad_clip_norm; }),
          .fallback = always<0.0>};
}

KeySpec in_backward_key() {
  return {.path = "training.optimizer_in_backward",
          .kind = KeyKind::kBool,
          .default_text = "true; false with grad_clip_norm or fp16-mixed",
          .meaning =
              "Update each parameter as soon as its gradient is complete and free the "
              "gradient. Gives the same bits as a separate optimizer pass.",
          .memory = "Gradients no longer all live at once (without accumulation).",
          .time = "Reads each gradient while it is still in cache.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.optimizer_in_backward; }),
          .fallback = [](const Plan& plan) -> KeyValue {
            return plan.training.grad_clip_norm == 0 &&
                   plan.training.precision != Precision::kFp16Mixed;
          }};
}

KeySpec eval_every_key() {
  return {.path = "training.eval_every",
          .kind = KeyKind::kInteger,
          .unit = "steps",
          .default_text = "0 (never)",
          .limits = size_from(0),
          .slider = log_slider(1, 10000),
          .meaning = "How often the loss on held-out data is measured; see data.held_out.",
          .memory = "One more batch; the rest runs in the memory of the training step.",
          .time = "eval_batches forward passes each time.",
          .aliases = {{"eval_steps"}, {"eval_interval"}},
          .access = field([](auto& plan) { return &plan.training.eval_every; }),
          .fallback = always<std::int64_t{0}>};
}

KeySpec eval_batches_key() {
  return {.path = "training.eval_batches",
          .kind = KeyKind::kInteger,
          .unit = "micro batches",
          .default_text = "20",
          .limits = size_from(1),
          .slider = log_slider(1, 1000),
          .meaning = "How many micro batches of held-out data are measured; always the same ones.",
          .aliases = {{"eval_iters"}},
          .access = field([](auto& plan) { return &plan.training.eval_batches; }),
          .fallback = always<std::int64_t{20}>};
}

KeySpec recompute_key() {
  return {.path = "training.activation_checkpointing",
          .kind = KeyKind::kWord,
          .default_text = "none",
          .choices = choices<RecomputePolicy>(),
          .meaning =
              "What backward computes again instead of keeping it; `{every: k}` keeps the "
              "input of every k-th layer.",
          .memory = "Fewer activations, from none to full.",
          .time = "full adds about one forward pass per step; elementwise next to nothing.",
          .aliases = {{"gradient_checkpointing", "full", "none"},
                      {"enable_activation_checkpointing", "full", "none"},
                      {"recompute"}},
          .flat = true,
          .access = {[](const Plan& plan) -> KeyValue {
                       return to_value(plan.training.activation_checkpointing.policy);
                     },
                     [](Plan& plan, const KeyValue& value) {
                       RecomputePlan& recompute = plan.training.activation_checkpointing;
                       from_value(value, recompute.policy);
                       if (recompute.policy != RecomputePolicy::kEvery) recompute.every = 0;
                     }},
          .fallback = always<RecomputePolicy::kNone>};
}

KeySpec recompute_every_key() {
  return {.path = "training.activation_checkpointing.every",
          .kind = KeyKind::kInteger,
          .unit = "layers",
          .default_text = "2",
          .limits = size_from(1),
          .slider = linear_slider(1, 32),
          .meaning = "Layers between two that keep their input.",
          .memory = "Larger keeps fewer layer inputs and recomputes longer stretches at once.",
          .access = field([](auto& plan) { return &plan.training.activation_checkpointing.every; }),
          .fallback = always<std::int64_t{2}>,
          .depends_on = "training.activation_checkpointing",
          .not_applicable = only_every};
}

KeySpec attention_key() {
  return {.path = "training.attention",
          .kind = KeyKind::kWord,
          .default_text = "flash",
          .choices = choices<Attention>(),
          .meaning = "How attention is computed.",
          .memory = "eager keeps B x heads x T x T values per layer.",
          .time = "eager moves the score matrix through memory several times.",
          .aliases = {{"attn_implementation"}},
          .word_aliases = {{"flash_attention_2", "flash"}, {"sdpa", "flash"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.attention; }),
          .fallback = always<Attention::kFlash>,
          .depends_on = "model.type",
          .not_applicable = only_with_attention};
}

KeySpec max_steps_key() {
  return {.path = "training.max_steps",
          .kind = KeyKind::kInteger,
          .unit = "optimizer steps",
          .default_text = "required: one of max_steps, max_tokens, epochs",
          .limits = size_from(1),
          .slider = log_slider(1, 1e6, 10),
          .meaning = "Length of the run in optimizer steps.",
          .aliases = {{"num_train_steps"}, {"num_steps"}},
          .flat = true,
          .exclusive = kRunLength,
          .access = field([](auto& plan) { return &plan.training.max_steps; }),
          .fallback = unset};
}

KeySpec max_tokens_key() {
  return {.path = "training.max_tokens",
          .kind = KeyKind::kInteger,
          .unit = "tokens",
          .default_text = "required: one of max_steps, max_tokens, epochs",
          .limits = between(1, kLargestCount),
          .slider = log_slider(1e6, 1e14, 10),
          .meaning = "Length of the run in tokens over all devices, rounded up to whole steps.",
          .flat = true,
          .exclusive = kRunLength,
          .access = field([](auto& plan) { return &plan.training.max_tokens; }),
          .fallback = unset,
          .depends_on = "model.type",
          .not_applicable = only_with_tokens};
}

KeySpec epochs_key() {
  KeyLimits limits = positive();
  limits.max = 1e9;
  return {.path = "training.epochs",
          .kind = KeyKind::kReal,
          .unit = "passes over the data",
          .default_text = "required: one of max_steps, max_tokens, epochs",
          .limits = limits,
          .slider = log_slider(1, 1000),
          .meaning = "Length of the run in passes over the data, rounded up to whole steps.",
          .aliases = {{"num_epochs"}, {"num_train_epochs"}, {"max_epochs"}},
          .flat = true,
          .exclusive = kRunLength,
          .access = field([](auto& plan) { return &plan.training.epochs; }),
          .fallback = unset};
}

KeySpec seed_key() {
  return {.path = "training.seed",
          .kind = KeyKind::kInteger,
          .default_text = "0",
          .limits = between(0, kLargestCount),
          .meaning = "Start of all random numbers: initial weights, batches, synthetic data.",
          .aliases = {{"random_seed"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.seed; }),
          .fallback = always<std::int64_t{0}>};
}

KeySpec deterministic_key() {
  return {.path = "training.deterministic",
          .kind = KeyKind::kWord,
          .default_text = "same_threads",
          .choices = choices<Determinism>(),
          .meaning = "When two runs of this plan give the same bits.",
          .time =
              "strict cuts matrix products into fixed panels: up to 25% slower on an idle "
              "processor.",
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.deterministic; }),
          .fallback = always<Determinism::kSameThreads>};
}

KeySpec threads_key() {
  return {.path = "training.threads",
          .kind = KeyKind::kInteger,
          .unit = "threads",
          .default_text = "0 (all cores)",
          .limits = between(0, 4096),
          .slider = linear_slider(0, 128),
          .meaning = "Threads that compute on the processor.",
          .time = "More threads are faster up to the number of cores.",
          .aliases = {{"num_threads"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.threads; }),
          .fallback = always<std::int64_t{0}>};
}

}  // namespace

std::vector<KeySpec> run_keys() {
  return {schedule_name_key(),   warmup_key(),    min_lr_key(),        clip_key(),
          in_backward_key(),     recompute_key(), eval_every_key(),    eval_batches_key(),
          recompute_every_key(), attention_key(), max_steps_key(),     max_tokens_key(),
          epochs_key(),          seed_key(),      deterministic_key(), threads_key()};
}

}  // namespace headroom::schema
