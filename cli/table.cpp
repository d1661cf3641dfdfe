#include "cli/table.h"

#include "cli/wrap.h"

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

namespace {

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : wrapped(text, 0)) {
    longest = std::max(longest, display_width(word));
  }
  return longest;
}

std::size_t total_of(const std::vector<std::size_t>& widths) {
  std::size_t total = 2 * (widths.empty() ? 0 : widths.size() - 1);
  for (std::size_t width : widths) total += width;
  return total;
}

}  // namespace

/// What the columns need, less what the widest of text give up so that all fit on the page.
std::vector<std::size_t> Table::widths(std::size_t page) const {
  std::vector<std::size_t> widths(columns_.size(), 0), least(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(row[c]));
      least[c] =
          std::max(least[c], columns_[c] == Align::kRight ? widths[c] : longest_word(row[c]));
    }
  }
  while (total_of(widths) > page) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const bool shrinks = widths[c] > least[c];
      if (shrinks && (widest == columns_.size() || widths[c] > widths[widest])) widest = c;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string Table::text(int indent) const {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const std::vector<std::size_t> widths = this->widths(kPageWidth - margin.size());
  std::string text;
  for (const auto& row : rows_) {
    if (row.empty()) {
      text += margin + std::string(total_of(widths), '-') + '\n';
      continue;
    }
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool fits = display_width(row[c]) <= widths[c];
      cells.push_back(fits ? std::vector<std::string>{row[c]} : wrapped(row[c], widths[c]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line = margin;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string part = l < cells[c].size() ? cells[c][l] : "";
        const std::string padding(widths[c] - std::min(widths[c], display_width(part)), ' ');
        if (c > 0) line += "  ";
        line += columns_[c] == Align::kRight ? padding + part : part + padding;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
  }
  return text;
}

}  // namespace headroom::cli
