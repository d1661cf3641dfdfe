#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headroom::cli {

/// Widest line of anything that this program prints for people.
inline constexpr std::size_t kPageWidth = 100;

/// The words of a text on lines of at most `width` columns; a longer word gets a line of its own.
[[nodiscard]] std::vector<std::string> wrapped(const std::string& text, std::size_t width);
/// The same as one text: the first line begins with `first`, the others with `later`, each ended.
[[nodiscard]] std::string wrap(const std::string& text,
                               const std::string& first,
                               const std::string& later,
                               std::size_t width = kPageWidth);

}  // namespace headroom::cli
