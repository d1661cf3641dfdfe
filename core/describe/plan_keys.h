#pragma once

#include "core/describe/plan_schema.h"

#include <string>
#include <string_view>

namespace headroom {

/// What a written key stands for. Exactly one of `key` and `section` is set, or neither when the
/// key is unknown.
struct KeyMatch {
  const KeySpec* key = nullptr;
  const SectionSpec* section = nullptr;
  const KeyAlias* alias = nullptr;  ///< set when the key goes by another name here
  bool moved = false;               ///< written one or more levels too high
  explicit operator bool() const { return key != nullptr || section != nullptr; }
};

/// Finds `word` as written inside the mapping `section` (empty at the top of the file).
[[nodiscard]] KeyMatch match_key(std::string_view section, std::string_view word);

/// Insertions, deletions, replacements and swaps of neighbours between two words, each counted 1
/// (optimal string alignment: no piece is edited twice).
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// The canonical path most like what was written, or empty when nothing is near.
[[nodiscard]] std::string nearest_key(std::string_view section, std::string_view word);
/// The word most like `word`, or empty when none is near.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<const Choice> choices);

/// `section.word`, or `word` at the top.
[[nodiscard]] std::string join_path(std::string_view section, std::string_view word);

}  // namespace headroom
