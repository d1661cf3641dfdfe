#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// The known name closest to `word`: at most a third of its letters differ. Empty when none is.
[[nodiscard]] std::string nearest_name(std::string_view word,
                                       const std::vector<std::string>& known);
/// ` (did you mean x?)`, or nothing when no known name is close.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& known);

/// Text of a user or a file as part of a message of one line: control characters become escapes
/// such as `\n` and `\x1b`.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace headroom
