#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::trainer {

/// Text as one token per byte: 256 tokens, nothing to learn, any language, no file to keep.
inline constexpr std::int64_t kByteVocabulary = 256;
[[nodiscard]] std::vector<std::int32_t> bytes_to_tokens(std::string_view text);
/// Errors: Error for a token that is no byte.
[[nodiscard]] std::string tokens_to_bytes(std::span<const std::int32_t> tokens);

/// Writes files, one behind the other, as a token file that nanoGPT and we read (16-bit numbers, no
/// header), whole or not at all. Returns the number of tokens.
/// Errors: IoError naming the file that cannot be read or is empty.
std::int64_t write_byte_tokens(std::span<const std::filesystem::path> files,
                               const std::filesystem::path& to);

}  // namespace headroom::trainer
