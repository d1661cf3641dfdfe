#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headroom::trainer {

/// A table of numbers read from text.
struct CsvTable {
  std::vector<std::string> names;  ///< of the columns; empty when the file has no header line
  std::vector<float> values;       ///< row-major
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  char separator = ',';
};

/// Whether the beginning of a file reads as lines of separated numbers, perhaps after a header.
[[nodiscard]] bool looks_like_csv(std::span<const std::byte> beginning);

/// Reads a whole table of numbers. The separator (comma, semicolon or tab) is the one that the
/// first line has most of; a first line with a word in it is the header, unless the
/// word stands for a number (nan, inf, NA, null); fields may be
/// quoted and padded with spaces; empty lines are skipped. Errors: IoError `path:line:column: ...`
/// at the first field that is not a finite number, on a line with another number of fields, and on
/// an open quote; IoError when there is no data line.
[[nodiscard]] CsvTable read_csv(std::span<const std::byte> file, const std::filesystem::path& path);

}  // namespace headroom::trainer
