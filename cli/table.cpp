#include "cli/table.h"

#include <algorithm>

namespace headroom::cli {

std::size_t display_width(const std::string& text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0x1B) {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((byte & 0xC0U) != 0x80U) {
      ++width;
    }
  }
  return width;
}

std::string Table::text(int indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(row[c]));
    }
  }
  std::size_t total = 2 * (widths.empty() ? 0 : widths.size() - 1);
  for (std::size_t width : widths) total += width;

  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string text;
  for (const auto& row : rows_) {
    std::string line = margin;
    if (row.empty()) line += std::string(total, '-');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - display_width(row[c]), ' ');
      if (c > 0) line += "  ";
      line += columns_[c] == Align::kRight ? padding + row[c] : row[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace headroom::cli
