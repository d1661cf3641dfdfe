#pragma once

#include "trainer/data/element_type.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace headroom::trainer {

/// Where the tokens of a token file are and how they are stored.
struct TokenLayout {
  ElementType type = ElementType::kU16;
  std::size_t data_offset = 0;
  std::int64_t count = 0;
  std::string_view writer;  ///< who writes such files, for people
};

/// Reads the header of a token file as llm.c writes it: 256 32-bit numbers (magic, version, count),
/// then the tokens. Magic 20240520, version 1: 16-bit tokens (GPT-2); 20240801, version 7: 32-bit
/// tokens (Llama 3). Returns nothing when the file begins otherwise.
/// Errors: IoError on an unknown version or a count that disagrees with the file's size.
/// Source: the data preparation scripts of llm.c (dev/data/data_common.py).
[[nodiscard]] std::optional<TokenLayout> read_llmc_layout(std::span<const std::byte> file,
                                                          const std::filesystem::path& path);

/// A token file of nanoGPT: 16-bit tokens and nothing else.
/// Errors: IoError when the file is empty or has an odd size.
[[nodiscard]] TokenLayout read_headerless_tokens(std::span<const std::byte> file,
                                                 const std::filesystem::path& path);

}  // namespace headroom::trainer
