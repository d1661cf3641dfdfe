#pragma once

#include "core/describe/config_node.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace headroom::io {

/// Parses one YAML (or JSON) document. Every node and key knows its line and column in `file`,
/// which is only used in positions. Anchors, aliases and `<<` merges are expanded.
/// Errors: ConfigError with the position on bad syntax, an empty file, a second document, nesting
/// deeper than 64, or more than 100,000 values after expansion.
[[nodiscard]] ConfigNode parse_yaml(std::string_view text, const std::string& file);

/// Reads and parses a file of at most 16 MiB; `-` is the standard input.
/// Errors: IoError when it cannot be read, ConfigError as above.
[[nodiscard]] ConfigNode read_yaml(const std::filesystem::path& path);

/// `text` as a YAML scalar on one line: plain when that reads back the same, otherwise quoted.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

}  // namespace headroom::io
