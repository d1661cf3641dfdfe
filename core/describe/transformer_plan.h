#pragma once

#include "core/describe/plan_enums.h"

#include <cstdint>

namespace headroom {

/// How rotary positions are stretched beyond the length a model was first trained on.
/// Source: `rope_scaling` of Hugging Face transformers (modeling_rope_utils.py).
struct RopeScalingPlan {
  RopeScaling type = RopeScaling::kNone;
  double factor = 1;                 ///< linear, llama3
  double low_freq_factor = 1;        ///< llama3
  double high_freq_factor = 4;       ///< llama3
  std::int64_t original_length = 0;  ///< llama3: positions before the stretch
  friend bool operator==(const RopeScalingPlan&, const RopeScalingPlan&) = default;
};

/// A decoder-only transformer with the names of Hugging Face configs. `kind` decides what the
/// blocks are made of:
///   gpt2   learned positions, layer norm with bias, fused qkv, MLP with one activation function
///   llama  rotary positions, RMS norm, gated MLP (Llama, Mistral, Qwen2, Qwen3, SmolLM2)
///   moe    llama with `num_experts` gated MLPs of which every token goes through some (Mixtral)
struct TransformerPlan {
  TransformerKind kind = TransformerKind::kGpt2;
  std::int64_t vocab_size = 0;           ///< V
  std::int64_t hidden_size = 0;          ///< C
  std::int64_t intermediate_size = 0;    ///< F
  std::int64_t num_hidden_layers = 0;    ///< L
  std::int64_t num_attention_heads = 0;  ///< H
  std::int64_t num_key_value_heads = 0;  ///< KV; fewer than H: grouped-query attention
  std::int64_t head_dim = 0;             ///< D
  std::int64_t max_position_embeddings = 0;
  ActivationKind activation = ActivationKind::kGeluTanh;
  double norm_eps = 1e-5;
  bool tie_word_embeddings = true;  ///< the head is the embedding table
  AttentionBias attention_bias = AttentionBias::kAll;
  bool mlp_bias = true;
  bool qk_norm = false;             ///< RMS norm over each head of q and k (Qwen3)
  std::int64_t sliding_window = 0;  ///< keys a query sees, itself included; 0: all before it
  double rope_theta = 10000;
  RopeScalingPlan rope_scaling;
  double initializer_range = 0.02;
  double embedding_dropout = 0;
  double residual_dropout = 0;
  std::int64_t num_experts = 0;
  std::int64_t num_experts_per_tok = 0;
  double router_aux_loss_coef = 0;
  friend bool operator==(const TransformerPlan&, const TransformerPlan&) = default;
};

}  // namespace headroom
