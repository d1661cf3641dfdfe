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
/// Errors: as check_pretrained, before anything is changed.
std::vector<std::string> load_pretrained(const std::filesystem::path& path,
                                         runtime::Executor& executor);

/// Errors: IoError naming the file when a tensor of the step's parameters is missing, is not the
/// model's in shape or dtype, or when there is one that the model does not know.
void check_pretrained(const std::filesystem::path& path, const Step& step);

}  // namespace headroom::trainer
