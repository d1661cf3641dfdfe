#pragma once

#include "trainer/data/element_type.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace headroom::trainer {

/// The element type that a file's ending names: `.u8`, `.u16`, `.i32`, `.f32`, `.f64`.
[[nodiscard]] std::optional<ElementType> type_from_ending(const std::filesystem::path& path);

/// How many values a file without a header holds.
/// Errors: IoError when it is empty or its size is no whole number of values, or of rows of
/// `columns` values.
[[nodiscard]] std::int64_t count_raw_values(std::span<const std::byte> file,
                                            ElementType type,
                                            std::int64_t columns,
                                            const std::filesystem::path& path);

}  // namespace headroom::trainer
