#pragma once

#include "core/describe/config_node.h"

#include <span>
#include <string>
#include <vector>

namespace headroom {

/// Changes a parsed plan by command-line words, left to right, before it is read:
/// `key.path=value` sets, `+key.path=value` sets what the file does not have, `~key.path` drops.
/// Values are plain words, quoted text or lists (`[64, 64]`); other spellings of keys work as in
/// files. Setting one of max_steps, max_tokens, epochs (or data.path, data.synthetic) takes the
/// place of the others in the file. Values say `override 2 'lr=3e-4'` in place of a file position.
/// Returns all problems with the words; the words without problems are applied.
[[nodiscard]] std::vector<Problem> apply_overrides(ConfigNode& root,
                                                   std::span<const std::string> words);

/// The value part of an override as a node: a scalar, a quoted scalar or a list of scalars.
/// Errors: ConfigError when a quote or bracket is not closed.
[[nodiscard]] ConfigNode parse_override_value(const std::string& text, const SourceLocation& where);

}  // namespace headroom
