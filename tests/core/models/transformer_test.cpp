#include "core/models/training_step.h"
#include "tests/core/models/reference_model.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(transformers)

/// The sizes that every reference file of a transformer states.
TransformerPlan sizes_of(const nlohmann::json& reference, TransformerKind kind) {
  const auto integer = [&](const char* key) { return reference.at(key).get<std::int64_t>(); };
  TransformerPlan model{.kind = kind};
  model.vocab_size = integer("vocab_size");
  model.hidden_size = integer("hidden_size");
  model.intermediate_size = integer("intermediate_size");
  model.num_hidden_layers = integer("num_hidden_layers");
  model.num_attention_heads = integer("num_attention_heads");
  model.num_key_value_heads = model.num_attention_heads;
  model.head_dim = model.hidden_size / model.num_attention_heads;
  return model;
}

Plan plan_with(const TransformerPlan& model, const nlohmann::json& reference) {
  Plan plan;
  plan.model.family = model;
  plan.model.init = Initialization::kGpt2;
  plan.training.micro_batch_size = reference.at("micro_batch_size").get<std::int64_t>();
  plan.training.seq_len = reference.at("seq_len").get<std::int64_t>();
  return plan;
}

Plan gpt2_plan(const nlohmann::json& reference, ActivationKind activation) {
  TransformerPlan model = sizes_of(reference, TransformerKind::kGpt2);
  model.max_position_embeddings = reference.at("max_position_embeddings").get<std::int64_t>();
  model.activation = activation;
  return plan_with(model, reference);
}

Plan llama_plan(const nlohmann::json& reference) {
  TransformerPlan model = sizes_of(reference, TransformerKind::kLlama);
  model.num_key_value_heads = reference.at("num_key_value_heads").get<std::int64_t>();
  model.head_dim = reference.at("head_dim").get<std::int64_t>();
  model.max_position_embeddings = 64;
  model.activation = ActivationKind::kSilu;
  model.tie_word_embeddings = reference.at("tie_word_embeddings").get<bool>();
  model.attention_bias =
      reference.at("qkv_bias").get<bool>() ? AttentionBias::kQkv : AttentionBias::kNone;
  model.mlp_bias = false;
  model.qk_norm = reference.at("qk_norm").get<bool>();
  model.sliding_window = reference.at("sliding_window").get<std::int64_t>();
  model.rope_theta = reference.at("rope_theta").get<double>();
  if (const auto& stretch = reference.at("rope_scaling"); !stretch.is_null()) {
    const auto number = [&](const char* key, double otherwise) {
      return stretch.value(key, otherwise);
    };
    model.rope_scaling = {
        .type = *from_name<RopeScaling>(stretch.at("rope_type").get<std::string>()),
        .factor = number("factor", 1),
        .low_freq_factor = number("low_freq_factor", 1),
        .high_freq_factor = number("high_freq_factor", 4),
        .original_length =
            static_cast<std::int64_t>(number("original_max_position_embeddings", 8192))};
  }
  return plan_with(model, reference);
}

ReferenceModel model_of(std::string name, Plan plan, const nlohmann::json& reference) {
  return {.name = std::move(name),
          .plan = std::move(plan),
          .parameters = &reference.at("parameters"),
          .batches = batches_of(reference)};
}

const char* const kLlamas[] = {"llama", "llama3", "qwen2", "qwen3", "mistral"};

BOOST_AUTO_TEST_CASE(gpt2_trains_as_in_pytorch) {
  const auto reference = load_reference("gpt2");
  for (const auto& node : reference.at("cases")) {
    const std::string activation = node.at("activation").get<std::string>();
    const Plan plan = gpt2_plan(reference, *from_name<ActivationKind>(activation));
    check_reference_runs(model_of("gpt2 " + activation, plan, reference), node);
  }
}

// Grouped queries, a head size that is not width / heads, tied and untied heads, scaled positions,
// biases of q, k and v, norms of q and k, a sliding window.
BOOST_AUTO_TEST_CASE(llamas_train_as_in_pytorch) {
  for (const char* name : kLlamas) {
    const auto reference = load_reference(name);
    check_reference_runs(model_of(name, llama_plan(reference), reference), reference);
  }
}

BOOST_AUTO_TEST_CASE(eager_attention_trains_the_same) {
  const auto reference = load_reference("llama");
  Plan plan = llama_plan(reference);
  plan.training.attention = Attention::kEager;
  check_reference_runs(model_of("llama, eager", plan, reference), reference);
}

// What is computed again has the same bits, so every policy trains the same; what is not kept is
// not there in between.
BOOST_AUTO_TEST_CASE(recomputing_changes_no_bit) {
  const auto gpt2 = load_reference("gpt2");
  const auto llama = load_reference("qwen3");
  for (const auto& [model, name] :
       {std::pair(model_of("gpt2", gpt2_plan(gpt2, ActivationKind::kGeluTanh), gpt2), "gpt2"),
        std::pair(model_of("qwen3", llama_plan(llama), llama), "qwen3")}) {
    for (std::int64_t accumulation : {1, 3}) {
      Plan plan = plan_of(
          model,
          {.name = OptimizerKind::kAdamw, .lr = 0.01, .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8},
          accumulation);
      const RunOutcome kept = train(*start(model, plan, DType::kF32), plan, 3);
      std::int64_t largest = plan_arena(models::training_step(plan, {})).step_bytes.value();
      for (const RecomputePlan& policy :
           {RecomputePlan{RecomputePolicy::kElementwise},
            RecomputePlan{RecomputePolicy::kSelective}, RecomputePlan{RecomputePolicy::kEvery, 2},
            RecomputePlan{RecomputePolicy::kFull}}) {
        plan.training.activation_checkpointing = policy;
        BOOST_TEST_CONTEXT(name << ", " << headroom::name(policy.policy) << ", " << accumulation) {
          BOOST_CHECK(train(*start(model, plan, DType::kF32), plan, 3) == kept);
          const std::int64_t bytes = plan_arena(models::training_step(plan, {})).step_bytes.value();
          BOOST_CHECK_LE(bytes, largest);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
