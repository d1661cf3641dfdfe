#pragma once

#include "core/runtime/executor.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headroom::trainer {

/// Fills the parameters, and their f32 masters, from safetensors as Hugging Face names and lays
/// them out: one file, or a folder of files that share the tensors between them (shards). Stored
/// f32, f16 and bf16 values become what the parameter is stored in, rounded to nearest.
/// `transformer.` in front of GPT-2's names may be missing. Left unread, and returned by name: the
/// head of a model whose head is its embedding table, and causal masks kept by older programs.
/// Errors: IoError naming the file when a tensor is missing, is not the model's in shape, or is one
/// that the model does not know. Then some parameters may have been changed.
std::vector<std::string> load_pretrained(const std::filesystem::path& path,
                                         runtime::Executor& executor);

}  // namespace headroom::trainer
