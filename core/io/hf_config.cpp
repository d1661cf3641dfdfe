#include "core/io/hf_config.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace headroom::io {
namespace {

using std::string_view;

/// A field of a config.json and the plan key it stands for; no key: it changes nothing we count.
struct Field {
  string_view name, key;
};

constexpr std::array kGpt2Fields = {
    Field{"vocab_size", "vocab_size"},
    Field{"n_embd", "hidden_size"},
    Field{"n_layer", "num_hidden_layers"},
    Field{"n_head", "num_attention_heads"},
    Field{"n_inner", "intermediate_size"},
    Field{"n_positions", "max_position_embeddings"},
    Field{"activation_function", "activation"},
    Field{"layer_norm_epsilon", "norm_eps"},
    Field{"initializer_range", "initializer_range"},
    Field{"tie_word_embeddings", "tie_word_embeddings"},
    Field{"embd_pdrop", "embedding_dropout"},
    Field{"resid_pdrop", "residual_dropout"},
};
constexpr std::array kLlamaFields = {
    Field{"vocab_size", "vocab_size"},
    Field{"hidden_size", "hidden_size"},
    Field{"intermediate_size", "intermediate_size"},
    Field{"num_hidden_layers", "num_hidden_layers"},
    Field{"num_attention_heads", "num_attention_heads"},
    Field{"num_key_value_heads", "num_key_value_heads"},
    Field{"head_dim", "head_dim"},
    Field{"max_position_embeddings", "max_position_embeddings"},
    Field{"hidden_act", "activation"},
    Field{"rms_norm_eps", "norm_eps"},
    Field{"initializer_range", "initializer_range"},
    Field{"tie_word_embeddings", "tie_word_embeddings"},
    Field{"mlp_bias", "mlp_bias"},
    Field{"rope_theta", "rope_theta"},
};
constexpr std::array kExpertFields = {
    Field{"num_local_experts", "num_experts"},
    Field{"num_experts_per_tok", "num_experts_per_tok"},
    Field{"router_aux_loss_coef", "router_aux_loss_coef"},
};
/// Fields about text, files, generation and other programs.
constexpr std::array<string_view, 44> kIrrelevant = {"architectures",
                                                     "model_type",
                                                     "torch_dtype",
                                                     "dtype",
                                                     "transformers_version",
                                                     "use_cache",
                                                     "bos_token_id",
                                                     "eos_token_id",
                                                     "pad_token_id",
                                                     "unk_token_id",
                                                     "sep_token_id",
                                                     "id2label",
                                                     "label2id",
                                                     "task_specific_params",
                                                     "_name_or_path",
                                                     "name_or_path",
                                                     "n_ctx",
                                                     "summary_type",
                                                     "summary_use_proj",
                                                     "summary_activation",
                                                     "summary_first_dropout",
                                                     "summary_proj_to_labels",
                                                     "pretraining_tp",
                                                     "reorder_and_upcast_attn",
                                                     "scale_attn_by_inverse_layer_idx",
                                                     "scale_attn_weights",
                                                     "output_router_logits",
                                                     "output_attentions",
                                                     "output_hidden_states",
                                                     "return_dict",
                                                     "problem_type",
                                                     "auto_map",
                                                     "attn_implementation",
                                                     "_attn_implementation",
                                                     "quantization_config",
                                                     "num_labels",
                                                     "finetuning_task",
                                                     "gradient_checkpointing",
                                                     "router_jitter_noise",
                                                     "max_window_layers",
                                                     "use_mrope",
                                                     "is_decoder",
                                                     "layer_types",
                                                     "rope_interleaved"};

/// What is known of one family beyond its fields.
struct Family {
  string_view model_type;
  string_view type;  ///< word of `model.type`
  string_view attention_bias = "none";
  bool qk_norm = false;
  bool window = false;  ///< `sliding_window` counts without being switched on
};
constexpr std::array kFamilies = {
    Family{"gpt2", "gpt2", "all"},
    Family{"llama", "llama"},
    Family{"mistral", "llama", "none", false, true},
    Family{"mixtral", "moe", "none", false, true},
    Family{"qwen2", "llama", "qkv"},
    Family{"qwen3", "llama", "none", true},
};

bool is_null(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::kNull ||
         (node.kind == ConfigNode::Kind::kScalar && !node.quoted && node.scalar == "null");
}
bool is_true(const ConfigNode* node) { return node != nullptr && node->scalar == "true"; }

ConfigNode scalar(string_view text, const SourceLocation& where) {
  return {.kind = ConfigNode::Kind::kScalar, .where = where, .scalar = std::string(text)};
}

void put(ConfigNode& map, string_view key, ConfigNode value) {
  const SourceLocation where = value.where;
  map.entries.push_back({std::string(key), where, std::move(value)});
}

bool has(const ConfigNode& map, string_view key) {
  return std::any_of(map.entries.begin(), map.entries.end(),
                     [&](const ConfigNode::Entry& entry) { return entry.key == key; });
}

class Translation {
 public:
  Translation(const ConfigNode& file, const Family& family) : file_(file), family_(family) {}

  HfModel run() {
    result_.model = {.kind = ConfigNode::Kind::kMap, .where = file_.where};
    put(result_.model, "type", scalar(family_.type, file_.find("model_type")->where));
    for (const ConfigNode::Entry& entry : file_.entries) translate(entry);
    add_defaults();
    if (!problems_.empty()) throw ConfigError(std::move(problems_));
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool gpt2() const { return family_.type == "gpt2"; }

  static string_view key_of(string_view name, const auto& fields) {
    for (const Field& field : fields) {
      if (field.name == name) return field.key;
    }
    return {};
  }

  void translate(const ConfigNode::Entry& entry) {
    const string_view name = entry.key;
    if (std::find(kIrrelevant.begin(), kIrrelevant.end(), name) != kIrrelevant.end()) return;
    string_view key = gpt2() ? key_of(name, kGpt2Fields) : key_of(name, kLlamaFields);
    if (key.empty() && family_.type == "moe") key = key_of(name, kExpertFields);
    if (!key.empty()) {
      if (!is_null(entry.value)) {
        put(result_.model, key, key == "activation" ? activation(entry.value) : entry.value);
      }
    } else if (name == "attention_bias" && !gpt2()) {
      put(result_.model, name, scalar(is_true(&entry.value) ? "all" : "none", entry.where));
    } else if (name == "sliding_window" || name == "use_sliding_window") {
      window(entry);
    } else if (name == "rope_scaling" || name == "rope_parameters") {
      if (!is_null(entry.value)) stretch(entry.value);
    } else if (name == "attn_pdrop" || name == "attention_dropout") {
      drops_attention(entry);
    } else {
      note(entry, "is not known here and was left out");
    }
  }

  /// Hugging Face has several names for the same functions.
  static ConfigNode activation(ConfigNode value) {
    if (value.scalar == "gelu_new" || value.scalar == "gelu_pytorch_tanh") {
      value.scalar = "gelu_tanh";
    }
    return value;
  }

  void window(const ConfigNode::Entry& entry) {
    if (entry.key != "sliding_window" || is_null(entry.value)) return;
    if (family_.window || is_true(file_.find("use_sliding_window"))) {
      put(result_.model, "sliding_window", entry.value);
    }
  }

  /// `rope_scaling` of older and `rope_parameters` of newer files.
  void stretch(const ConfigNode& from) {
    ConfigNode to{.kind = ConfigNode::Kind::kMap, .where = from.where};
    for (const ConfigNode::Entry& entry : from.entries) {
      if (entry.key == "rope_type" || entry.key == "type") {
        if (!has(to, "rope_type")) put(to, "rope_type", entry.value);
      } else if (entry.key == "rope_theta") {
        put(result_.model, "rope_theta", entry.value);
      } else {
        put(to, entry.key, entry.value);
      }
    }
    put(result_.model, "rope_scaling", std::move(to));
  }

  void drops_attention(const ConfigNode::Entry& entry) {
    const bool none =
        is_null(entry.value) || entry.value.scalar.find_first_not_of("0.") == std::string::npos;
    if (!none) note(entry, "attention probabilities are not dropped here; the field was left out");
  }

  void note(const ConfigNode::Entry& entry, std::string what) {
    result_.notes.push_back({entry.where, entry.key, std::move(what), {}});
  }

  void add_defaults() {
    const SourceLocation& where = file_.where;
    const auto unless_given = [&](string_view key, string_view value) {
      if (!has(result_.model, key)) put(result_.model, key, scalar(value, where));
    };
    unless_given("attention_bias", family_.attention_bias);
    if (family_.qk_norm) {
      unless_given("qk_norm", "true");
      unless_given("head_dim", "128");
    }
    if (!gpt2()) unless_given("norm_eps", "1e-6");
  }

  const ConfigNode& file_;
  const Family& family_;
  HfModel result_;
  std::vector<Problem> problems_;
};

}  // namespace

bool is_hf_config(const ConfigNode& file) {
  return file.kind == ConfigNode::Kind::kMap && file.find("model_type") != nullptr &&
         file.find("model") == nullptr;
}

HfModel read_hf_model(const ConfigNode& file) {
  const ConfigNode& type = *file.find("model_type");
  const auto family = std::find_if(kFamilies.begin(), kFamilies.end(),
                                   [&](const Family& f) { return f.model_type == type.scalar; });
  if (family == kFamilies.end()) {
    std::string known;
    for (const Family& f : kFamilies)
      known += (known.empty() ? "" : ", ") + std::string(f.model_type);
    throw ConfigError(
        {{type.where, "model_type", "'" + type.scalar + "' is not a family that this version knows",
          "it knows " + known}});
  }
  return Translation(file, *family).run();
}

ConfigNode plan_around(ConfigNode model) {
  const SourceLocation where = model.where;
  const auto map = [&] { return ConfigNode{.kind = ConfigNode::Kind::kMap, .where = where}; };
  ConfigNode optimizer = map();
  put(optimizer, "name", scalar("adamw", where));
  put(optimizer, "lr", scalar("1e-4", where));
  ConfigNode training = map();
  put(training, "micro_batch_size", scalar("1", where));
  put(training, "precision", scalar("bf16-mixed", where));
  put(training, "optimizer", std::move(optimizer));
  put(training, "max_steps", scalar("1000", where));
  ConfigNode data = map();
  put(data, "synthetic", scalar("true", where));
  ConfigNode root = map();
  put(root, "model", std::move(model));
  put(root, "training", std::move(training));
  put(root, "data", std::move(data));
  return root;
}

}  // namespace headroom::io
