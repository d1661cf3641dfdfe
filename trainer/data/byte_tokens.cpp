#include "trainer/data/byte_tokens.h"

#include "core/describe/error.h"
#include "core/io/atomic_file.h"
#include "trainer/data/mapped_file.h"

#include <algorithm>

namespace headroom::trainer {

std::vector<std::int32_t> bytes_to_tokens(std::string_view text) {
  std::vector<std::int32_t> tokens;
  tokens.reserve(text.size());
  for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
  return tokens;
}

std::string tokens_to_bytes(std::span<const std::int32_t> tokens) {
  std::string text;
  for (const std::int32_t token : tokens) {
    if (token < 0 || token >= kByteVocabulary) {
      throw Error("token " + std::to_string(token) + " is no byte");
    }
    text += static_cast<char>(token);
  }
  return text;
}

std::int64_t write_byte_tokens(std::span<const std::filesystem::path> files,
                               const std::filesystem::path& to) {
  constexpr std::size_t kChunk = 1 << 16;
  io::AtomicFile out(to);
  std::vector<std::byte> chunk;
  std::int64_t tokens = 0;
  for (const std::filesystem::path& path : files) {
    const MappedFile file(path);
    const std::span<const std::byte> bytes = file.bytes();
    if (bytes.empty()) throw IoError(path.string() + " is empty");
    for (std::size_t begin = 0; begin < bytes.size(); begin += kChunk) {
      const std::size_t size = std::min(kChunk, bytes.size() - begin);
      chunk.assign(2 * size, std::byte{0});
      for (std::size_t i = 0; i < size; ++i) chunk[2 * i] = bytes[begin + i];
      out.write(chunk);
    }
    tokens += static_cast<std::int64_t>(bytes.size());
  }
  out.commit();
  return tokens;
}

}  // namespace headroom::trainer
