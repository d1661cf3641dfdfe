#include "core/describe/error.h"
#include "core/models/build.h"
#include "core/models/weight_init.h"
#include "core/ops/activation.h"
#include "core/ops/attention.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "core/ops/head_cross_entropy.h"
#include "core/ops/layer_norm.h"
#include "core/ops/linear.h"
#include "core/ops/rms_norm.h"
#include "core/ops/rope.h"
#include "core/ops/swiglu.h"

#include <cmath>
#include <utility>

namespace headroom::models {
namespace {

/// Where in its family's checkpoints a tensor is found; names are those of Hugging Face.
struct Names {
  std::string_view block;  ///< stem of everything inside a block
  std::string_view tokens, positions, final_norm, head;
};
constexpr Names kGpt2Names{"transformer.h", "transformer.wte", "transformer.wpe",
                           "transformer.ln_f", "lm_head"};
constexpr Names kLlamaNames{"model.layers", "model.embed_tokens", "", "model.norm", "lm_head"};

/// The parameters of one norm inside a block.
struct NormNames {
  std::string_view weight, bias;
};
constexpr NormNames kGpt2InputNorm{"ln_1.weight", "ln_1.bias"};
constexpr NormNames kGpt2MiddleNorm{"ln_2.weight", "ln_2.bias"};
constexpr NormNames kLlamaInputNorm{"input_layernorm.weight", ""};
constexpr NormNames kLlamaMiddleNorm{"post_attention_layernorm.weight", ""};

/// Puts the blocks of one model together. Letters as in the plan: B, T, C, F, H, KV, D, V.
class TransformerBuilder {
 public:
  TransformerBuilder(const TransformerPlan& model, const Plan& plan, const ComputeTypes& types)
      : model_(model),
        plan_(plan),
        types_(types),
        gpt2_(model.kind == TransformerKind::kGpt2),
        names_(gpt2_ ? kGpt2Names : kLlamaNames),
        B_(plan.training.micro_batch_size),
        T_(plan.training.seq_len.value_or(model.max_position_embeddings)),
        C_(model.hidden_size) {
    own_shared_ops();
  }

  Graph build() {
    trunk();
    head();
    return std::move(graph_);
  }

  /// Logits of every position instead of a loss.
  ScoringGraph build_scoring() {
    trunk();
    const auto& head = graph_.own(
        std::make_unique<ops::Linear>(ops::Linear::Options{.layout = ops::WeightLayout::kOutIn}));
    const TensorId logits =
        graph_.apply(head, {normed_, head_weight()}, {.stem = "logits"}, Category::kLogits)[0];
    return {std::move(graph_), logits};
  }

 private:
  void trunk() {
    embed();
    norm_input(0);
    for (std::int32_t l = 0; l < layers(); ++l) {
      add_to_stream(attention(l), l, gpt2_ ? kGpt2MiddleNorm : kLlamaMiddleNorm,
                    StreamRole::kInside);
      add_to_stream(gpt2_ ? mlp(l) : gated_mlp(l), l + 1, gpt2_ ? kGpt2InputNorm : kLlamaInputNorm,
                    StreamRole::kBlockInput);
    }
  }

  [[nodiscard]] std::int32_t layers() const {
    return static_cast<std::int32_t>(model_.num_hidden_layers);
  }

  void own_shared_ops() {
    const auto own = [&]<class T>(std::unique_ptr<T> op) { return &graph_.own(std::move(op)); };
    using L = ops::Linear::Options;
    // GPT-2's checkpoints hold weights as x W, the others as torch.nn.Linear does.
    const auto layout = gpt2_ ? ops::WeightLayout::kInOut : ops::WeightLayout::kOutIn;
    plain_ = own(std::make_unique<ops::Linear>(L{.bias = false, .layout = layout}));
    biased_ = own(std::make_unique<ops::Linear>(L{.bias = true, .layout = layout}));
    if (gpt2_) {
      const ops::Norm::Options options{.eps = model_.norm_eps};
      norm_ = own(std::make_unique<ops::LayerNorm>(options));
      add_norm_ = own(std::make_unique<ops::LayerNorm>(
          ops::Norm::Options{.eps = model_.norm_eps, .residual = true}));
      activation_ = own(std::make_unique<ops::Activation>(model_.activation));
    } else {
      norm_ = own(std::make_unique<ops::RmsNorm>(ops::RmsNorm::Options{.eps = model_.norm_eps}));
      add_norm_ = own(std::make_unique<ops::RmsNorm>(
          ops::RmsNorm::Options{.eps = model_.norm_eps, .residual = true}));
      swiglu_ = own(std::make_unique<ops::SwiGlu>());
      rotate_q_ = own(std::make_unique<ops::Rope>(rope(model_.num_attention_heads)));
      rotate_k_ = own(std::make_unique<ops::Rope>(rope(model_.num_key_value_heads)));
    }
    attention_ = own(std::make_unique<ops::Attention>(
        ops::Attention::Options{.heads = model_.num_attention_heads,
                                .kv_heads = model_.num_key_value_heads,
                                .head_dim = model_.head_dim,
                                .window = model_.sliding_window < T_ ? model_.sliding_window : 0,
                                .kind = plan_.training.attention,
                                .packed = gpt2_}));
  }

  [[nodiscard]] ops::Rope::Options rope(std::int64_t heads) const {
    const RopeScalingPlan& stretch = model_.rope_scaling;
    return {.heads = heads,
            .head_dim = model_.head_dim,
            .theta = model_.rope_theta,
            .scaling = stretch.type,
            .factor = stretch.factor,
            .low_freq_factor = stretch.low_freq_factor,
            .high_freq_factor = stretch.high_freq_factor,
            .original_max_position = stretch.original_length};
  }

  // ---- names, first values -----------------------------------------------------------------

  [[nodiscard]] TensorName in_block(std::int32_t layer, std::string_view leaf) const {
    return {.stem = names_.block, .index = layer, .leaf = leaf};
  }
  static TensorName result(std::int32_t layer, std::string_view leaf) {
    return {.stem = "layers", .index = layer, .leaf = leaf};
  }

  /// First values of a weight; `to_stream` marks what is added to the residual stream, of which
  /// there are two per layer. Source: Radford et al. 2019, section 2.3.
  [[nodiscard]] Initializer first_values(std::int64_t in, std::int64_t out, bool to_stream) const {
    if (plan_.model.init != Initialization::kGpt2) return weight_init(plan_.model.init, in, out);
    const double additions = 2.0 * static_cast<double>(model_.num_hidden_layers);
    const double sigma = model_.initializer_range;
    return Initializer::normal(to_stream ? sigma / std::sqrt(additions) : sigma);
  }

  // ---- parts ---------------------------------------------------------------------------------

  struct Projection {
    std::string_view weight, bias;
    std::int64_t in, out;
    bool has_bias;
    bool to_stream = false;
  };

  TensorId linear(TensorId x, std::int32_t layer, const Projection& p, std::string_view output) {
    const Shape shape =
        gpt2_ ? Shape{{"in", p.in}, {"out", p.out}} : Shape{{"out", p.out}, {"in", p.in}};
    const TensorId weight = graph_.parameter(in_block(layer, p.weight), {shape, types_.matrices},
                                             first_values(p.in, p.out, p.to_stream));
    if (!p.has_bias) return graph_.apply(*plain_, {x, weight}, result(layer, output))[0];
    const TensorId bias =
        graph_.parameter(in_block(layer, p.bias), {Shape{{"out", p.out}}, types_.matrices},
                         bias_init(plan_.model.init, p.in));
    return graph_.apply(*biased_, {x, weight, bias}, result(layer, output))[0];
  }

  /// The weights of a norm of block `layer`; behind the last block that is
  /// the final one.
  std::pair<TensorId, TensorId> norm_weights(std::int32_t layer, const NormNames& names) {
    const bool final = layer == layers();
    const TensorType type{Shape{{"hidden", C_}}, types_.vectors};
    const auto named = [&](std::string_view leaf, std::string_view of_final) {
      return final ? TensorName{.stem = names_.final_norm, .leaf = of_final}
                   : in_block(layer, leaf);
    };
    const TensorId weight =
        graph_.parameter(named(names.weight, "weight"), type, Initializer::ones());
    if (!gpt2_) return {weight, TensorId{}};
    return {weight, graph_.parameter(named(names.bias, "bias"), type, Initializer::zeros())};
  }

  TensorId dropout(TensorId x, double p, TensorName name) {
    if (p == 0) return x;
    const auto& op = graph_.own(
        std::make_unique<ops::Dropout>(ops::Dropout::Options{.p = p, .instance = dropouts_++}));
    return graph_.apply(op, {x}, name)[0];
  }

  void embed() {
    const Shape batch{{"batch", B_}, {"time", T_}};
    tokens_ = graph_.input({.stem = "batch", .leaf = "tokens"}, {batch, DType::kI32});
    const auto table = [&](std::string_view name, std::int64_t rows) {
      return graph_.parameter({.stem = name, .leaf = "weight"},
                              {Shape{{"rows", rows}, {"hidden", C_}}, types_.matrices},
                              first_values(C_, C_, false));
    };
    table_ = table(names_.tokens, model_.vocab_size);
    const auto& op =
        graph_.own(std::make_unique<ops::Embedding>(ops::Embedding::Options{.positions = gpt2_}));
    const TensorName name{.stem = "embedding"};
    if (gpt2_) {
      const TensorId positions = table(names_.positions, model_.max_position_embeddings);
      stream_ = graph_.apply(op, {tokens_, table_, positions}, name)[0];
    } else {
      stream_ = graph_.apply(op, {tokens_, table_}, name)[0];
    }
    stream_ = dropout(stream_, model_.embedding_dropout, {.stem = "embedding", .leaf = "dropout"});
    graph_.mark_stream(stream_, StreamRole::kBlockInput);
  }

  void norm_input(std::int32_t layer) {
    const auto [weight, bias] = norm_weights(layer, gpt2_ ? kGpt2InputNorm : kLlamaInputNorm);
    const TensorName name = result(layer, "input_norm");
    normed_ = gpt2_ ? graph_.apply(*norm_, {stream_, weight, bias}, name)[0]
                    : graph_.apply(*norm_, {stream_, weight}, name)[0];
  }

  /// stream += x, and the norm in front of what comes next.
  void add_to_stream(TensorId x, std::int32_t layer, const NormNames& norm, StreamRole role) {
    const auto [weight, bias] = norm_weights(layer, norm);
    const TensorName name = result(layer, role == StreamRole::kInside ? "middle" : "input");
    const auto outputs = gpt2_ ? graph_.apply(*add_norm_, {x, stream_, weight, bias}, name)
                               : graph_.apply(*add_norm_, {x, stream_, weight}, name);
    normed_ = outputs[0];
    stream_ = outputs[1];
    graph_.mark_stream(stream_, role);
  }

  TensorId attention(std::int32_t l) {
    const std::int64_t queries = model_.num_attention_heads * model_.head_dim;
    const std::int64_t keys = model_.num_key_value_heads * model_.head_dim;
    const bool bias = model_.attention_bias != AttentionBias::kNone;
    TensorId heads;
    if (gpt2_) {
      const TensorId qkv = linear(normed_, l,
                                  {.weight = "attn.c_attn.weight",
                                   .bias = "attn.c_attn.bias",
                                   .in = C_,
                                   .out = queries + 2 * keys,
                                   .has_bias = bias},
                                  "qkv");
      heads = graph_.apply(*attention_, {qkv}, result(l, "attention"))[0];
    } else {
      const auto project = [&](std::string_view weight, std::string_view bias_name,
                               std::int64_t out, std::string_view name) {
        return linear(normed_, l,
                      {.weight = weight, .bias = bias_name, .in = C_, .out = out, .has_bias = bias},
                      name);
      };
      TensorId q = project("self_attn.q_proj.weight", "self_attn.q_proj.bias", queries, "q");
      TensorId k = project("self_attn.k_proj.weight", "self_attn.k_proj.bias", keys, "k");
      const TensorId v = project("self_attn.v_proj.weight", "self_attn.v_proj.bias", keys, "v");
      if (model_.qk_norm) {
        q = head_norm(q, l, "self_attn.q_norm.weight", "q_norm");
        k = head_norm(k, l, "self_attn.k_norm.weight", "k_norm");
      }
      q = graph_.apply(*rotate_q_, {q}, result(l, "q_rotated"))[0];
      k = graph_.apply(*rotate_k_, {k}, result(l, "k_rotated"))[0];
      heads = graph_.apply(*attention_, {q, k, v}, result(l, "attention"))[0];
    }
    const TensorId out = linear(heads, l,
                                {.weight = gpt2_ ? "attn.c_proj.weight" : "self_attn.o_proj.weight",
                                 .bias = gpt2_ ? "attn.c_proj.bias" : "self_attn.o_proj.bias",
                                 .in = queries,
                                 .out = C_,
                                 .has_bias = model_.attention_bias == AttentionBias::kAll,
                                 .to_stream = true},
                                "attention_output");
    return dropout(out, model_.residual_dropout, result(l, "attention_dropout"));
  }

  /// RMS norm of every head on its own.
  TensorId head_norm(TensorId x, std::int32_t l, std::string_view leaf, std::string_view output) {
    const TensorId weight = graph_.parameter(
        in_block(l, leaf), {Shape{{"head", model_.head_dim}}, types_.vectors}, Initializer::ones());
    return graph_.apply(*norm_, {x, weight}, result(l, output))[0];
  }

  TensorId mlp(std::int32_t l) {
    const std::int64_t F = model_.intermediate_size;
    TensorId h = linear(normed_, l,
                        {.weight = "mlp.c_fc.weight",
                         .bias = "mlp.c_fc.bias",
                         .in = C_,
                         .out = F,
                         .has_bias = model_.mlp_bias},
                        "mlp_hidden");
    h = graph_.apply(*activation_, {h}, result(l, "mlp_activation"))[0];
    h = linear(h, l,
               {.weight = "mlp.c_proj.weight",
                .bias = "mlp.c_proj.bias",
                .in = F,
                .out = C_,
                .has_bias = model_.mlp_bias,
                .to_stream = true},
               "mlp_output");
    return dropout(h, model_.residual_dropout, result(l, "mlp_dropout"));
  }

  TensorId gated_mlp(std::int32_t l) {
    const std::int64_t F = model_.intermediate_size;
    const auto project = [&](std::string_view weight, std::string_view bias,
                             std::string_view name) {
      return linear(
          normed_, l,
          {.weight = weight, .bias = bias, .in = C_, .out = F, .has_bias = model_.mlp_bias}, name);
    };
    const TensorId gate = project("mlp.gate_proj.weight", "mlp.gate_proj.bias", "mlp_gate");
    const TensorId up = project("mlp.up_proj.weight", "mlp.up_proj.bias", "mlp_up");
    TensorId h = graph_.apply(*swiglu_, {gate, up}, result(l, "mlp_product"))[0];
    h = linear(h, l,
               {.weight = "mlp.down_proj.weight",
                .bias = "mlp.down_proj.bias",
                .in = F,
                .out = C_,
                .has_bias = model_.mlp_bias,
                .to_stream = true},
               "mlp_output");
    return dropout(h, model_.residual_dropout, result(l, "mlp_dropout"));
  }

  TensorId head_weight() {
    if (model_.tie_word_embeddings) return table_;
    return graph_.parameter({.stem = names_.head, .leaf = "weight"},
                            {Shape{{"rows", model_.vocab_size}, {"hidden", C_}}, types_.matrices},
                            first_values(C_, model_.vocab_size, false));
  }

  void head() {
    target_ = graph_.input({.stem = "batch", .leaf = "target"},
                           {Shape{{"batch", B_}, {"time", T_}}, DType::kI32});
    const double scale = 1.0 / static_cast<double>(plan_.training.gradient_accumulation_steps);
    const auto& op = graph_.own(
        std::make_unique<ops::HeadCrossEntropy>(ops::HeadCrossEntropy::Options{.scale = scale}));
    graph_.set_loss(graph_.apply(op, {normed_, head_weight(), target_}, {.stem = "loss"},
                                 Category::kTemporaries, Phase::kLoss)[0]);
  }

  const TransformerPlan& model_;
  const Plan& plan_;
  ComputeTypes types_;
  bool gpt2_;
  Names names_;
  std::int64_t B_, T_, C_;
  Graph graph_;
  const Op *plain_ = nullptr, *biased_ = nullptr, *norm_ = nullptr, *add_norm_ = nullptr;
  const Op *activation_ = nullptr, *swiglu_ = nullptr, *attention_ = nullptr;
  const Op *rotate_q_ = nullptr, *rotate_k_ = nullptr;
  std::uint32_t dropouts_ = 0;
  TensorId tokens_, target_, table_;
  TensorId stream_;  ///< the residual stream
  TensorId normed_;  ///< and its norm, which the next part reads
};

}  // namespace

Graph build_transformer(const TransformerPlan& model, const Plan& plan, const ComputeTypes& types) {
  return TransformerBuilder(model, plan, types).build();
}

ScoringGraph build_scoring_transformer(const TransformerPlan& model,
                                       const Plan& plan,
                                       const ComputeTypes& types) {
  return TransformerBuilder(model, plan, types).build_scoring();
}

}  // namespace headroom::models
