#pragma once

#include "core/describe/config_node.h"

#include <vector>

namespace headroom::io {

/// A model of Hugging Face in the words of a plan's `model:` mapping.
struct HfModel {
  ConfigNode model;            ///< values keep their place in the config.json
  std::vector<Problem> notes;  ///< fields that change nothing here, and those nobody knows
};

/// True for the contents of a config.json: it has a `model_type`.
[[nodiscard]] bool is_hf_config(const ConfigNode& file);

/// Translates a config.json of gpt2, llama, mistral, qwen2, qwen3 or mixtral. Defaults that a
/// family has in transformers and that differ from ours are written out.
/// Errors: ConfigError for other families, and for fields that change the arithmetic in a way that
/// is not known here.
/// Source: configuration_*.py of Hugging Face transformers.
[[nodiscard]] HfModel read_hf_model(const ConfigNode& file);

/// A whole plan around such a model, for looking at it: one sample, AdamW, bf16-mixed, synthetic
/// data.
[[nodiscard]] ConfigNode plan_around(ConfigNode model);

}  // namespace headroom::io
