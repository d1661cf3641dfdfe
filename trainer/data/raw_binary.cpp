#include "trainer/data/raw_binary.h"

#include "core/describe/error.h"

#include <fmt/format.h>

#include <string>

namespace headroom::trainer {

std::optional<ElementType> type_from_ending(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  for (const ElementType type : {ElementType::kU8, ElementType::kU16, ElementType::kI32,
                                 ElementType::kF32, ElementType::kF64}) {
    if (ending == fmt::format(".{}", name(type))) return type;
  }
  return std::nullopt;
}

std::int64_t count_raw_values(std::span<const std::byte> file,
                              ElementType type,
                              std::int64_t columns,
                              const std::filesystem::path& path) {
  if (file.empty()) throw IoError(fmt::format("{} is empty: it holds no data", path.string()));
  if (file.size() % size_of(type) != 0) {
    throw IoError(fmt::format("{} has {} bytes, which is no whole number of {} values ({} bytes)",
                              path.string(), file.size(), name(type), size_of(type)));
  }
  const auto values = static_cast<std::int64_t>(file.size() / size_of(type));
  if (columns > 0 && values % columns != 0) {
    throw IoError(fmt::format("{} has {} {} values, which is no whole number of rows of {}",
                              path.string(), values, name(type), columns));
  }
  return values;
}

}  // namespace headroom::trainer
