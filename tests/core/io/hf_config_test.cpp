#include "core/io/hf_config.h"

#include "core/io/plan_yaml.h"
#include "core/io/yaml.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(hf_configs)

LoadedPlan load(const std::string& json, std::vector<std::string> words = {}) {
  return io::load_plan(io::parse_yaml(json, "config.json"), ".", words);
}
const TransformerPlan& model_of(const LoadedPlan& loaded) {
  return std::get<TransformerPlan>(loaded.plan.model.family);
}

// As published on huggingface.co/openai-community/gpt2.
constexpr const char* kGpt2 = R"({
  "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
  "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
  "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12,
  "n_layer": 12, "n_positions": 1024, "resid_pdrop": 0.1, "summary_activation": null,
  "task_specific_params": {"text-generation": {"do_sample": true, "max_length": 50}},
  "vocab_size": 50257})";

BOOST_AUTO_TEST_CASE(gpt2_from_its_config) {
  const LoadedPlan loaded = load(kGpt2);
  const TransformerPlan& model = model_of(loaded);
  BOOST_CHECK(model.kind == TransformerKind::kGpt2);
  BOOST_CHECK_EQUAL(model.hidden_size, 768);
  BOOST_CHECK_EQUAL(model.intermediate_size, 3072);
  BOOST_CHECK_EQUAL(model.num_hidden_layers, 12);
  BOOST_CHECK(model.activation == ActivationKind::kGeluTanh);
  BOOST_CHECK(model.tie_word_embeddings);
  BOOST_CHECK_EQUAL(model.residual_dropout, 0.1);
  BOOST_CHECK(model.attention_bias == AttentionBias::kAll);
  BOOST_CHECK_EQUAL(loaded.plan.training.seq_len.value(), 1024);
  // What it cannot do and what it assumed are said, nothing else.
  BOOST_REQUIRE_EQUAL(loaded.notes.size(), 2U);
  BOOST_CHECK_EQUAL(loaded.notes[0].key, "attn_pdrop");
  BOOST_CHECK_NE(loaded.notes[1].message.find("our defaults"), std::string::npos);
}

BOOST_AUTO_TEST_CASE(llama3_with_scaled_positions) {
  const LoadedPlan loaded = load(R"({"model_type": "llama", "attention_bias": false,
    "attention_dropout": 0.0, "hidden_act": "silu", "hidden_size": 4096, "head_dim": 128,
    "intermediate_size": 14336, "max_position_embeddings": 131072, "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-05,
    "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
      "original_max_position_embeddings": 8192, "rope_type": "llama3"},
    "rope_theta": 500000.0, "tie_word_embeddings": false, "vocab_size": 128256})",
                                 {"training.seq_len=4096"});
  const TransformerPlan& model = model_of(loaded);
  BOOST_CHECK(model.kind == TransformerKind::kLlama);
  BOOST_CHECK_EQUAL(model.num_key_value_heads, 8);
  BOOST_CHECK(model.rope_scaling.type == RopeScaling::kLlama3);
  BOOST_CHECK_EQUAL(model.rope_scaling.factor, 8.0);
  BOOST_CHECK_EQUAL(model.rope_scaling.original_length, 8192);
  BOOST_CHECK_EQUAL(model.rope_theta, 500000.0);
  BOOST_CHECK(!model.tie_word_embeddings);
  BOOST_CHECK(model.attention_bias == AttentionBias::kNone);
  BOOST_CHECK_EQUAL(loaded.notes.size(), 1U);
}

// Qwen2 writes a window that is switched off, and has biases that its config does not mention.
BOOST_AUTO_TEST_CASE(families_have_their_own_defaults) {
  const std::string sizes = R"("hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
    "max_position_embeddings": 32, "hidden_act": "silu", "sliding_window": 16)";
  const auto qwen2 =
      load("{\"model_type\": \"qwen2\", \"use_sliding_window\": false, " + sizes + "}");
  BOOST_CHECK(model_of(qwen2).attention_bias == AttentionBias::kQkv);
  BOOST_CHECK_EQUAL(model_of(qwen2).sliding_window, 0);
  const auto qwen3 = load("{\"model_type\": \"qwen3\", " + sizes + "}");
  BOOST_CHECK(model_of(qwen3).qk_norm);
  BOOST_CHECK_EQUAL(model_of(qwen3).head_dim, 128);
  const auto mistral = load("{\"model_type\": \"mistral\", " + sizes + "}");
  BOOST_CHECK_EQUAL(model_of(mistral).sliding_window, 16);
  BOOST_CHECK_EQUAL(model_of(mistral).norm_eps, 1e-6);
}

BOOST_AUTO_TEST_CASE(unknown_fields_are_named_and_unknown_families_refused) {
  const LoadedPlan loaded = load(R"({"model_type": "llama", "hidden_size": 64, "vocab_size": 100,
    "num_hidden_layers": 2, "num_attention_heads": 4, "brand_new_field": 3})");
  BOOST_CHECK(std::any_of(loaded.notes.begin(), loaded.notes.end(), [](const Problem& note) {
    return note.key == "brand_new_field" && note.where.line == 2;
  }));
  BOOST_CHECK_EXCEPTION(load(R"({"model_type": "mamba", "vocab_size": 100})"), ConfigError,
                        [](const ConfigError& error) {
                          return error.problems()[0].message.find("'mamba'") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
