#include "core/describe/plan_schema_parts.h"

#include <array>

namespace headroom::schema {
namespace {

constexpr std::array kModelTypes = {
    Choice{"cruncher", "square linear layers without bias and a last one to a single value"},
    Choice{"mlp", "linear layers with an activation between them"},
    Choice{"gpt2", "transformer with learned positions and layer norms"},
    Choice{"llama", "transformer with rotary positions, RMS norms and gated MLPs"},
    Choice{"moe", "llama with several MLPs per block, of which each token goes through some"},
};

/// The alternative of FamilyPlan that a word of `model.type` stands for.
FamilyPlan family_named(std::string_view type) {
  if (type == "cruncher") return CruncherPlan{};
  if (type == "mlp") return MlpPlan{};
  if (const auto kind = from_name<TransformerKind>(type)) return TransformerPlan{.kind = *kind};
  throw Error("unknown model type '" + std::string(type) + "'");
}

template <class... Families>
std::string only_families(const Plan& plan) {
  if ((std::holds_alternative<Families>(plan.model.family) || ...)) return {};
  std::string names;
  for (const FamilyPlan& family : {FamilyPlan(Families{})...}) {
    if (!names.empty()) names += ", ";
    names += model_type({.family = family});
  }
  return "only models of type " + names + " have it; this one is " +
         std::string(model_type(plan.model));
}

/// Address of a field in the model family, or nullptr when the plan is of another family.
template <class Family, class AnyPlan>
auto* family(AnyPlan& plan) {
  return std::get_if<Family>(&plan.model.family);
}

KeyValue default_init(const Plan& plan) {
  if (std::holds_alternative<TransformerPlan>(plan.model.family)) {
    return to_value(Initialization::kGpt2);
  }
  const bool mlp = std::holds_alternative<MlpPlan>(plan.model.family);
  return to_value(mlp ? Initialization::kTorchLinear : Initialization::kFanInNormal);
}

KeyValue default_activation(const Plan& plan) {
  const auto* transformer = std::get_if<TransformerPlan>(&plan.model.family);
  if (transformer == nullptr) return to_value(ActivationKind::kRelu);
  return to_value(transformer->kind == TransformerKind::kGpt2 ? ActivationKind::kGeluTanh
                                                              : ActivationKind::kSilu);
}

KeySpec type_key() {
  return {
      .path = "model.type",
      .kind = KeyKind::kWord,
      .default_text = "required",
      .choices = kModelTypes,
      .meaning = "The family of models. It decides which other model keys there are.",
      .access = {[](const Plan& plan) -> KeyValue { return std::string(model_type(plan.model)); },
                 [](Plan& plan, const KeyValue& value) {
                   const std::string& type = std::get<std::string>(value);
                   if (type != model_type(plan.model)) plan.model.family = family_named(type);
                 }}};
}

KeySpec config_key() {
  return {.path = "model.config",
          .kind = KeyKind::kText,
          .default_text = "none",
          .meaning =
              "A file whose `model:` mapping is put under the keys written here: a name of "
              "configs/models/ or a path, relative to the plan file.",
          .loader = true,
          .access = {[](const Plan&) -> KeyValue { return {}; }, [](Plan&, const KeyValue&) {}},
          .fallback = unset};
}

KeySpec dim_key() {
  return {.path = "model.dim",
          .kind = KeyKind::kInteger,
          .unit = "values",
          .default_text = "required",
          .limits = size_from(1),
          .slider = log_slider(1, 16384),
          .meaning = "Width D of every layer and of the input.",
          .memory =
              "Parameters, gradients and optimizer state grow with D squared, activations "
              "with D.",
          .time = "Grows with D squared.",
          .access = field([](auto& plan) {
            auto* cruncher = family<CruncherPlan>(plan);
            return cruncher == nullptr ? nullptr : &cruncher->dim;
          }),
          .depends_on = "model.type",
          .not_applicable = only_families<CruncherPlan>};
}

KeySpec num_layers_key() {
  return {.path = "model.num_layers",
          .kind = KeyKind::kInteger,
          .unit = "layers",
          .default_text = "required",
          .limits = size_from(1),
          .slider = log_slider(1, 128),
          .meaning = "Number L of D x D layers; the last layer to one value is not counted.",
          .memory = "Everything but the inputs grows with L.",
          .time = "Grows with L.",
          .aliases = {{"n_layers"}, {"layers"}},
          .access = field([](auto& plan) {
            auto* cruncher = family<CruncherPlan>(plan);
            return cruncher == nullptr ? nullptr : &cruncher->num_layers;
          }),
          .depends_on = "model.type",
          .not_applicable = only_families<CruncherPlan>};
}

KeySpec input_size_key() {
  return {.path = "model.input_size",
          .kind = KeyKind::kInteger,
          .unit = "values",
          .default_text = "required",
          .limits = size_from(1),
          .slider = log_slider(1, 16384),
          .meaning = "Values per sample that go in.",
          .memory = "Grows inputs and the first layer.",
          .time = "Grows the first layer.",
          .aliases = {{"input_dim"}, {"in_features"}},
          .access = field([](auto& plan) {
            auto* mlp = family<MlpPlan>(plan);
            return mlp == nullptr ? nullptr : &mlp->input_size;
          }),
          .depends_on = "model.type",
          .not_applicable = only_families<MlpPlan>};
}

KeySpec hidden_sizes_key() {
  KeyLimits limits = size_from(1);
  limits.max_items = 4096;
  return {.path = "model.hidden_sizes",
          .kind = KeyKind::kIntegers,
          .unit = "values",
          .default_text = "required",
          .limits = limits,
          .meaning = "Width of every hidden layer, first to last. `[]` is a single linear layer.",
          .memory =
              "A layer holds its width times the width before it, and keeps its width per "
              "sample for backward.",
          .time = "Grows with the product of neighbouring widths.",
          .aliases = {{"hidden_dims"}, {"hidden_layer_sizes"}},
          .access = field([](auto& plan) {
            auto* mlp = family<MlpPlan>(plan);
            return mlp == nullptr ? nullptr : &mlp->hidden_sizes;
          }),
          .depends_on = "model.type",
          .not_applicable = only_families<MlpPlan>};
}

KeySpec output_size_key() {
  return {.path = "model.output_size",
          .kind = KeyKind::kInteger,
          .unit = "values",
          .default_text = "required",
          .limits = size_from(1),
          .slider = log_slider(1, 16384),
          .meaning = "Values per sample that come out; the number of classes with cross_entropy.",
          .memory = "Grows the last layer and the logits.",
          .time = "Grows the last layer.",
          .aliases = {{"output_dim"}, {"out_features"}, {"num_classes"}},
          .access = field([](auto& plan) {
            auto* mlp = family<MlpPlan>(plan);
            return mlp == nullptr ? nullptr : &mlp->output_size;
          }),
          .depends_on = "model.type",
          .not_applicable = only_families<MlpPlan>};
}

KeySpec activation_key() {
  return {.path = "model.activation",
          .kind = KeyKind::kWord,
          .default_text = "relu (mlp), gelu_tanh (gpt2), silu (llama, moe)",
          .choices = choices<ActivationKind>(),
          .meaning = "The function between the layers, or inside the MLP of a block.",
          .memory = "relu needs only its output in backward; the others keep their input as well.",
          .time = "relu is the cheapest; all are small beside the matrix products.",
          .aliases = {{"hidden_act"}, {"activation_function"}},
          .word_aliases = {{"swish", "silu"},
                           {"gelu_new", "gelu_tanh"},
                           {"gelu_pytorch_tanh", "gelu_tanh"}},
          .access = field([](auto& plan) {
            auto* mlp = family<MlpPlan>(plan);
            auto* transformer = family<TransformerPlan>(plan);
            return mlp != nullptr           ? &mlp->activation
                   : transformer != nullptr ? &transformer->activation
                                            : nullptr;
          }),
          .fallback = default_activation,
          .depends_on = "model.type",
          .not_applicable = only_families<MlpPlan, TransformerPlan>};
}

KeySpec loss_key() {
  return {.path = "model.loss",
          .kind = KeyKind::kWord,
          .default_text = "mse",
          .choices = choices<LossKind>(),
          .meaning =
              "What is minimised. cross_entropy reads one class number per sample, mse "
              "output_size values.",
          .memory = "cross_entropy keeps the softmax in place of the logits.",
          .word_aliases = {{"ce", "cross_entropy"}, {"crossentropy", "cross_entropy"}},
          .access = field([](auto& plan) {
            auto* mlp = family<MlpPlan>(plan);
            return mlp == nullptr ? nullptr : &mlp->loss;
          }),
          .fallback = always<LossKind::kMse>,
          .depends_on = "model.type",
          .not_applicable = only_families<MlpPlan>};
}

KeySpec bias_key() {
  return {.path = "model.bias",
          .kind = KeyKind::kBool,
          .default_text = "true",
          .meaning = "Whether every layer adds a bias.",
          .memory = "One more vector of parameters per layer.",
          .access = field([](auto& plan) {
            auto* mlp = family<MlpPlan>(plan);
            return mlp == nullptr ? nullptr : &mlp->bias;
          }),
          .fallback = always<true>,
          .depends_on = "model.type",
          .not_applicable = only_families<MlpPlan>};
}

KeySpec init_key() {
  return {.path = "model.init",
          .kind = KeyKind::kWord,
          .default_text = "fan_in_normal (cruncher), torch_linear (mlp), gpt2 (transformers)",
          .choices = choices<Initialization>(),
          .meaning =
              "How weights are drawn before the first step. Biases start at 0 except with "
              "torch_linear.",
          .aliases = {{"initialization"}, {"initializer"}},
          .word_aliases = {{"trunc_normal", "truncated_normal"}},
          .access = field([](auto& plan) { return &plan.model.init; }),
          .fallback = default_init,
          .depends_on = "model.type"};
}

KeySpec weights_key() {
  return {.path = "model.weights",
          .kind = KeyKind::kText,
          .default_text = "none: drawn by model.init",
          .meaning =
              "Weights to start from: a safetensors file, or a folder of such files, named as by "
              "Hugging Face; relative to the plan file.",
          .access = field([](auto& plan) { return &plan.model.weights; }),
          .fallback = [](const Plan&) -> KeyValue { return std::string(); }};
}

}  // namespace

std::vector<KeySpec> model_keys() {
  return {type_key(),       config_key(),       dim_key(),         num_layers_key(),
          input_size_key(), hidden_sizes_key(), output_size_key(), activation_key(),
          loss_key(),       bias_key(),         init_key(),        weights_key()};
}

}  // namespace headroom::schema
