#include "core/describe/plan_schema_parts.h"

namespace headroom::schema {
namespace {

std::string only_with_tokens(const Plan& plan) {
  if (reads_tokens(plan.model)) return {};
  return "only models that read tokens have it; " + std::string(model_type(plan.model)) +
         " reads whole samples";
}

KeySpec micro_batch_key() {
  return {.path = "training.micro_batch_size",
          .kind = KeyKind::kInteger,
          .unit = "samples",
          .default_text = "required",
          .limits = size_from(1),
          .slider = log_slider(1, 4096),
          .meaning = "Samples B that one device takes through forward and backward at once.",
          .memory = "Inputs, activations and logits grow with B.",
          .time = "A pass takes about as long as B is large, but small B leaves the device idle.",
          .aliases = {{"batch_size"}, {"per_device_train_batch_size"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.micro_batch_size; })};
}

KeySpec accumulation_key() {
  return {.path = "training.gradient_accumulation_steps",
          .kind = KeyKind::kInteger,
          .unit = "micro steps",
          .default_text = "1",
          .limits = size_from(1),
          .slider = log_slider(1, 256),
          .meaning = "Micro batches whose gradients are averaged before the weights change.",
          .memory = "Above 1, all gradients live through the whole step.",
          .time = "A step takes that many passes.",
          .aliases = {{"grad_accum_steps"}, {"accumulation_steps"}, {"accumulate_grad_batches"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.gradient_accumulation_steps; }),
          .fallback = always<std::int64_t{1}>};
}

KeySpec global_batch_key() {
  return {.path = "training.global_batch_size",
          .kind = KeyKind::kInteger,
          .unit = "samples",
          .default_text = "micro_batch_size x gradient_accumulation_steps x parallel.data",
          .limits = size_from(1),
          .meaning =
              "Samples per optimizer step over all devices. Computed; if written, it must "
              "agree.",
          .flat = true,
          .derived = true,
          .access = {[](const Plan& plan) -> KeyValue { return global_batch_size(plan); },
                     [](Plan&, const KeyValue&) {}}};
}

KeySpec seq_len_key() {
  return {.path = "training.seq_len",
          .kind = KeyKind::kInteger,
          .unit = "tokens",
          .default_text = "model.max_position_embeddings",
          .limits = size_from(1),
          .slider = log_slider(16, 131072),
          .meaning = "Tokens T of one sample.",
          .memory = "Activations and logits grow with T; eager attention with T squared.",
          .time = "Grows with T; the attention part with T squared.",
          .aliases = {{"max_seq_len"}, {"max_seq_length"}, {"sequence_len"}, {"sequence_length"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.seq_len; }),
          .fallback = [](const Plan& plan) -> KeyValue {
            const auto* model = std::get_if<TransformerPlan>(&plan.model.family);
            return model == nullptr ? KeyValue{} : KeyValue{model->max_position_embeddings};
          },
          .depends_on = "model.type",
          .not_applicable = only_with_tokens};
}

KeySpec precision_key() {
  return {.path = "training.precision",
          .kind = KeyKind::kWord,
          .default_text = "f32",
          .choices = choices<Precision>(),
          .meaning =
              "Which number formats hold weights and activations and feed the matrix "
              "products.",
          .memory =
              "Mixed precision halves activations and adds a 2-byte copy of the weights; "
              "bf16-true halves weights, gradients and optimizer state.",
          .time = "Matrix products run at the rate of their format.",
          .aliases = {{"dtype"},
                      {"torch_dtype"},
                      {"bf16", "bf16-mixed"},
                      {"fp16", "fp16-mixed"},
                      {"tf32", "tf32"}},
          .word_aliases = {{"fp32", "f32"},
                           {"float32", "f32"},
                           {"32-true", "f32"},
                           {"32", "f32"},
                           {"bf16", "bf16-mixed"},
                           {"bfloat16", "bf16-mixed"},
                           {"fp16", "fp16-mixed"},
                           {"f16", "fp16-mixed"},
                           {"float16", "fp16-mixed"},
                           {"16-mixed", "fp16-mixed"},
                           {"fp8", "fp8-mixed"}},
          .flat = true,
          .access = field([](auto& plan) { return &plan.training.precision; }),
          .fallback = always<Precision::kF32>};
}

}  // namespace

std::vector<KeySpec> training_keys() {
  return {micro_batch_key(), accumulation_key(), global_batch_key(), seq_len_key(),
          precision_key()};
}

}  // namespace headroom::schema
