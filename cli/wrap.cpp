#include "cli/wrap.h"

#include "cli/table.h"

#include <algorithm>

namespace headroom::cli {

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (!lines.back().empty()) {
      if (display_width(lines.back()) + 1 + display_width(word) > width) {
        lines.emplace_back();
      } else {
        lines.back() += ' ';
      }
    }
    lines.back() += word;
  }
  return lines;
}

std::string wrap(const std::string& text,
                 const std::string& first,
                 const std::string& later,
                 std::size_t width) {
  const std::size_t margin = std::max(display_width(first), display_width(later));
  std::string result;
  for (const std::string& line : wrapped(text, width - std::min(width, margin))) {
    result += (result.empty() ? first : later) + line + '\n';
  }
  return result;
}

}  // namespace headroom::cli
