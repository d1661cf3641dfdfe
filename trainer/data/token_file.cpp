#include "trainer/data/token_file.h"

#include "core/describe/error.h"

#include <fmt/format.h>

#include <array>

namespace headroom::trainer {
namespace {

constexpr std::size_t kHeaderNumbers = 256;
constexpr std::size_t kHeaderBytes = kHeaderNumbers * sizeof(std::int32_t);

struct Kind {
  std::int32_t magic;
  std::int32_t version;
  ElementType type;
  std::string_view writer;
};
constexpr std::array kKinds = {
    Kind{20240520, 1, ElementType::kU16, "llm.c (GPT-2)"},
    Kind{20240801, 7, ElementType::kU32, "llm.c (Llama 3)"},
};

}  // namespace

std::optional<TokenLayout> read_llmc_layout(std::span<const std::byte> file,
                                            const std::filesystem::path& path) {
  if (file.size() < sizeof(std::int32_t)) return std::nullopt;
  const auto magic = load<std::int32_t>(file.data());
  for (const Kind& kind : kKinds) {
    if (kind.magic != magic) continue;
    const auto fail = [&](const std::string& what) {
      throw IoError(fmt::format("cannot read {} as a token file of {}: {}", path.string(),
                                kind.writer, what));
    };
    if (file.size() < kHeaderBytes) fail("it is cut off in the header");
    const auto version = load<std::int32_t>(file.data() + 4);
    if (version != kind.version) {
      fail(fmt::format("its version is {}, expected {}", version, kind.version));
    }
    const auto count = load<std::int32_t>(file.data() + 8);
    const std::size_t present = file.size() - kHeaderBytes;
    if (count <= 0) fail(fmt::format("the header announces {} tokens", count));
    if (static_cast<std::size_t>(count) * size_of(kind.type) != present) {
      fail(fmt::format("the header announces {} tokens of {} bytes, but {} bytes follow", count,
                       size_of(kind.type), present));
    }
    return TokenLayout{kind.type, kHeaderBytes, count, kind.writer};
  }
  return std::nullopt;
}

TokenLayout read_headerless_tokens(std::span<const std::byte> file,
                                   const std::filesystem::path& path) {
  if (file.empty()) throw IoError(fmt::format("{} is empty: it holds no tokens", path.string()));
  if (file.size() % sizeof(std::uint16_t) != 0) {
    throw IoError(fmt::format("{} has {} bytes, which is no whole number of 16-bit tokens",
                              path.string(), file.size()));
  }
  return {ElementType::kU16, 0, static_cast<std::int64_t>(file.size() / sizeof(std::uint16_t)),
          "nanoGPT"};
}

}  // namespace headroom::trainer
