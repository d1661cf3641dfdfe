#pragma once

#include <string>
#include <vector>

namespace headroom::cli {

/// Plain columns: text to the left, numbers to the right, two spaces between them. A table that is
/// wider than the page has the words of its widest text columns put on several lines.
class Table {
 public:
  enum class Align : unsigned char { kLeft, kRight };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// A row that is one line across all columns.
  void rule() { rows_.emplace_back(); }
  /// Every line indented by `indent` spaces and ended; no trailing spaces.
  [[nodiscard]] std::string text(int indent = 2) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t page) const;

  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Columns a text takes on screen: UTF-8 continuation bytes and colour codes take none.
[[nodiscard]] std::size_t display_width(const std::string& text);

}  // namespace headroom::cli
