#pragma once

#include <string>
#include <string_view>

namespace headroom::cli {

enum class Stream : unsigned char { kOut, kErr };
enum class Colour : unsigned char { kRed, kGreen, kYellow, kBold, kDim };

/// Text in a colour, if the stream is a terminal that wants it: NO_COLOR beats FORCE_COLOR, which
/// beats what the terminal is. Colour never carries a meaning that the words do not.
[[nodiscard]] std::string paint(std::string_view text, Colour colour, Stream stream = Stream::kOut);

[[nodiscard]] bool is_terminal(Stream stream);
/// Columns of the terminal on standard error; 80 when unknown.
[[nodiscard]] int terminal_width();
/// False when the locale is not UTF-8: then only ASCII is drawn.
[[nodiscard]] bool unicode_output();

}  // namespace headroom::cli
