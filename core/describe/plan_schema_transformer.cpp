#include "core/describe/plan_schema_parts.h"
#include "core/describe/units.h"

#include <algorithm>

namespace headroom::schema {
namespace {

const TransformerPlan& model(const Plan& plan) {
  return std::get<TransformerPlan>(plan.model.family);
}

std::string only_transformers(const Plan& plan) {
  if (std::holds_alternative<TransformerPlan>(plan.model.family)) return {};
  return "only models of type gpt2, llama, moe have it; this one is " +
         std::string(model_type(plan.model));
}

bool is(const Plan& plan, TransformerKind kind) {
  const auto* found = std::get_if<TransformerPlan>(&plan.model.family);
  return found != nullptr && found->kind == kind;
}

std::string only_rotary(const Plan& plan) {
  if (std::string why = only_transformers(plan); !why.empty()) return why;
  return is(plan, TransformerKind::kGpt2) ? "gpt2 has learned positions" : "";
}

std::string only_moe(const Plan& plan) {
  if (is(plan, TransformerKind::kMoe)) return {};
  return "only models of type moe have experts; this one is " + std::string(model_type(plan.model));
}

std::string only_stretched(const Plan& plan) {
  if (std::string why = only_rotary(plan); !why.empty()) return why;
  return model(plan).rope_scaling.type == RopeScaling::kNone ? "rope_scaling.rope_type is none"
                                                             : "";
}

std::string only_llama3(const Plan& plan) {
  if (std::string why = only_stretched(plan); !why.empty()) return why;
  return model(plan).rope_scaling.type == RopeScaling::kLlama3
             ? ""
             : "only rope_scaling.rope_type llama3 has it";
}

/// Access to a member of the transformer, however deep.
template <auto kMember>
KeyAccess member() {
  return field([](auto& plan) {
    auto* found = std::get_if<TransformerPlan>(&plan.model.family);
    return found == nullptr ? nullptr : &(found->*kMember);
  });
}
template <auto kMember>
KeyAccess stretch() {
  return field([](auto& plan) {
    auto* found = std::get_if<TransformerPlan>(&plan.model.family);
    return found == nullptr ? nullptr : &(found->rope_scaling.*kMember);
  });
}

/// Llama's rule: two thirds of 4 C, rounded up to a multiple of 256.
/// Source: Touvron et al. 2023, LLaMA, and its reference code (multiple_of).
KeyValue default_intermediate(const Plan& plan) {
  const std::int64_t C = model(plan).hidden_size;
  if (is(plan, TransformerKind::kGpt2)) return checked_multiply(4, C, "4 x hidden_size");
  return (checked_multiply(8, C, "8 x hidden_size") / 3 + 255) / 256 * 256;
}

KeyValue default_head_dim(const Plan& plan) {
  const std::int64_t heads = std::max<std::int64_t>(1, model(plan).num_attention_heads);
  return std::max<std::int64_t>(1, model(plan).hidden_size / heads);
}

KeyValue default_tie(const Plan& plan) { return is(plan, TransformerKind::kGpt2); }
KeyValue default_mlp_bias(const Plan& plan) { return is(plan, TransformerKind::kGpt2); }
KeyValue default_attention_bias(const Plan& plan) {
  return to_value(is(plan, TransformerKind::kGpt2) ? AttentionBias::kAll : AttentionBias::kNone);
}
KeyValue default_positions(const Plan& plan) {
  return std::int64_t{is(plan, TransformerKind::kGpt2) ? 1024 : 2048};
}
KeyValue default_kv_heads(const Plan& plan) { return model(plan).num_attention_heads; }

KeySpec size_key(std::string_view path,
                 std::string_view meaning,
                 KeyAccess access,
                 std::vector<KeyAlias> aliases = {},
                 Slider slider = log_slider(1, 16384)) {
  return {.path = path,
          .kind = KeyKind::kInteger,
          .default_text = "required",
          .limits = size_from(1),
          .slider = slider,
          .meaning = meaning,
          .aliases = std::move(aliases),
          .access = access,
          .depends_on = "model.type",
          .not_applicable = only_transformers};
}

KeySpec with_default(KeySpec key, std::string_view text, KeyValue (*fallback)(const Plan&)) {
  key.default_text = text;
  key.fallback = fallback;
  return key;
}

KeySpec bool_key(std::string_view path,
                 std::string_view meaning,
                 KeyAccess access,
                 std::string_view text,
                 KeyValue (*fallback)(const Plan&)) {
  return {.path = path,
          .kind = KeyKind::kBool,
          .default_text = text,
          .meaning = meaning,
          .access = access,
          .fallback = fallback,
          .depends_on = "model.type",
          .not_applicable = only_transformers};
}

KeySpec real_key(std::string_view path,
                 std::string_view meaning,
                 KeyAccess access,
                 KeyLimits limits,
                 std::string_view text,
                 KeyValue (*fallback)(const Plan&),
                 std::vector<KeyAlias> aliases = {}) {
  return {.path = path,
          .kind = KeyKind::kReal,
          .default_text = text,
          .limits = limits,
          .meaning = meaning,
          .aliases = std::move(aliases),
          .access = access,
          .fallback = fallback,
          .depends_on = "model.type",
          .not_applicable = only_transformers};
}

void add_sizes(std::vector<KeySpec>& keys) {
  using T = TransformerPlan;
  keys.push_back(size_key("model.vocab_size", "Rows V of the embedding table and of the head.",
                          member<&T::vocab_size>(), {}, log_slider(256, 262144)));
  KeySpec hidden = size_key("model.hidden_size", "Width C of the residual stream.",
                            member<&T::hidden_size>(), {{"n_embd"}, {"d_model"}});
  hidden.limits.max = 1 << 30;  // so that 4 C is a size as well
  keys.push_back(std::move(hidden));
  keys.push_back(size_key("model.num_hidden_layers", "Number L of blocks.",
                          member<&T::num_hidden_layers>(), {{"n_layer"}}, log_slider(1, 128)));
  keys.push_back(size_key("model.num_attention_heads", "Query heads H.",
                          member<&T::num_attention_heads>(), {{"n_head"}, {"n_heads"}},
                          log_slider(1, 128)));
  keys.push_back(with_default(
      size_key("model.num_key_value_heads",
               "Key and value heads KV; fewer than query heads is grouped-query attention.",
               member<&T::num_key_value_heads>(), {{"n_kv_heads"}}, log_slider(1, 128)),
      "num_attention_heads", default_kv_heads));
  keys.push_back(
      with_default(size_key("model.head_dim", "Width D of a head.", member<&T::head_dim>(),
                            {{"head_size"}}, log_slider(16, 256)),
                   "hidden_size / num_attention_heads", default_head_dim));
  keys.push_back(with_default(
      size_key("model.intermediate_size", "Width F of the MLP inside a block.",
               member<&T::intermediate_size>(), {{"n_inner"}, {"ffn_hidden_size"}}),
      "4 x hidden_size (gpt2), 8/3 of it rounded up to 256 (llama, moe)", default_intermediate));
  keys.push_back(
      with_default(size_key("model.max_position_embeddings",
                            "Longest sequence; rows of the position table in gpt2.",
                            member<&T::max_position_embeddings>(),
                            {{"n_positions"}, {"n_ctx"}, {"block_size"}}, log_slider(64, 131072)),
                   "1024 (gpt2), 2048 (llama, moe)", default_positions));
}

void add_parts(std::vector<KeySpec>& keys) {
  using T = TransformerPlan;
  keys.push_back(real_key("model.norm_eps", "Added to the variance before its root.",
                          member<&T::norm_eps>(), positive(), "1e-5", always<1e-5>,
                          {{"rms_norm_eps"}, {"layer_norm_epsilon"}, {"layer_norm_eps"}}));
  keys.push_back(bool_key("model.tie_word_embeddings", "Whether the head is the embedding table.",
                          member<&T::tie_word_embeddings>(), "true (gpt2), false (llama, moe)",
                          default_tie));
  KeySpec bias{.path = "model.attention_bias",
               .kind = KeyKind::kWord,
               .default_text = "all (gpt2), none (llama, moe)",
               .choices = choices<AttentionBias>(),
               .meaning = "Which projections of attention add a bias.",
               .word_aliases = {{"true", "all"}, {"false", "none"}},
               .access = member<&T::attention_bias>(),
               .fallback = default_attention_bias,
               .depends_on = "model.type",
               .not_applicable = only_transformers};
  keys.push_back(std::move(bias));
  keys.push_back(bool_key("model.mlp_bias", "Whether the MLP adds biases.", member<&T::mlp_bias>(),
                          "true (gpt2), false (llama, moe)", default_mlp_bias));
  KeySpec qk_norm = bool_key("model.qk_norm", "RMS norm over each head of q and k, as in Qwen3.",
                             member<&T::qk_norm>(), "false", always<false>);
  qk_norm.not_applicable = only_rotary;
  keys.push_back(std::move(qk_norm));
  KeySpec window = with_default(
      size_key("model.sliding_window", "Keys a query sees, itself included; 0 sees all before it.",
               member<&T::sliding_window>(), {}, log_slider(256, 131072)),
      "0", always<std::int64_t{0}>);
  window.limits = size_from(0);
  keys.push_back(std::move(window));
  keys.push_back(real_key("model.initializer_range",
                          "Standard deviation of first weights under `init: gpt2`.",
                          member<&T::initializer_range>(), positive(), "0.02", always<0.02>));
  keys.push_back(real_key("model.embedding_dropout", "Share of embedding values set to 0.",
                          member<&T::embedding_dropout>(), between(0, 0.999), "0", always<0.0>,
                          {{"embd_pdrop"}}));
  keys.push_back(real_key("model.residual_dropout",
                          "Share of what attention and MLP add to the stream that is set to 0.",
                          member<&T::residual_dropout>(), between(0, 0.999), "0", always<0.0>,
                          {{"resid_pdrop"}, {"dropout"}}));
}

void add_positions(std::vector<KeySpec>& keys) {
  using S = RopeScalingPlan;
  KeySpec theta =
      real_key("model.rope_theta", "Base of the rotary frequencies.",
               member<&TransformerPlan::rope_theta>(), positive(), "10000", always<10000.0>);
  theta.not_applicable = only_rotary;
  keys.push_back(std::move(theta));
  keys.push_back({.path = "model.rope_scaling.rope_type",
                  .kind = KeyKind::kWord,
                  .default_text = "none",
                  .choices = choices<RopeScaling>(),
                  .meaning = "How rotary positions are stretched to longer sequences.",
                  .word_aliases = {{"default", "none"}},
                  .access = stretch<&S::type>(),
                  .fallback = always<RopeScaling::kNone>,
                  .depends_on = "model.type",
                  .not_applicable = only_rotary});
  const auto add = [&](std::string_view path, std::string_view meaning, KeyAccess access,
                       std::string_view text, KeyValue (*fallback)(const Plan&),
                       std::string (*applies)(const Plan&)) {
    KeySpec key = real_key(path, meaning, access, positive(), text, fallback);
    key.depends_on = "model.rope_scaling.rope_type";
    key.not_applicable = applies;
    keys.push_back(std::move(key));
  };
  add("model.rope_scaling.factor", "How many times longer sequences become.", stretch<&S::factor>(),
      "1", always<1.0>, only_stretched);
  add("model.rope_scaling.low_freq_factor",
      "Wavelengths above original length / this are stretched whole.",
      stretch<&S::low_freq_factor>(), "1", always<1.0>, only_llama3);
  add("model.rope_scaling.high_freq_factor",
      "Wavelengths below original length / this stay as they are.", stretch<&S::high_freq_factor>(),
      "4", always<4.0>, only_llama3);
  KeySpec original =
      with_default(size_key("model.rope_scaling.original_max_position_embeddings",
                            "Longest sequence before the stretch.", stretch<&S::original_length>()),
                   "8192", always<std::int64_t{8192}>);
  original.depends_on = "model.rope_scaling.rope_type";
  original.not_applicable = only_llama3;
  keys.push_back(std::move(original));
}

void add_experts(std::vector<KeySpec>& keys) {
  using T = TransformerPlan;
  KeySpec experts =
      with_default(size_key("model.num_experts", "Gated MLPs per block.", member<&T::num_experts>(),
                            {{"num_local_experts"}}, log_slider(1, 256)),
                   "8", always<std::int64_t{8}>);
  experts.not_applicable = only_moe;
  keys.push_back(std::move(experts));
  KeySpec chosen =
      with_default(size_key("model.num_experts_per_tok", "Experts that every token goes through.",
                            member<&T::num_experts_per_tok>(), {}, log_slider(1, 16)),
                   "2", always<std::int64_t{2}>);
  chosen.not_applicable = only_moe;
  keys.push_back(std::move(chosen));
  KeySpec coefficient =
      real_key("model.router_aux_loss_coef", "Weight of the loss that spreads tokens over experts.",
               member<&T::router_aux_loss_coef>(), at_least(0), "0.01", always<0.01>);
  coefficient.not_applicable = only_moe;
  keys.push_back(std::move(coefficient));
}

}  // namespace

std::vector<KeySpec> transformer_keys() {
  std::vector<KeySpec> keys;
  add_sizes(keys);
  add_parts(keys);
  add_positions(keys);
  add_experts(keys);
  return keys;
}

}  // namespace headroom::schema
