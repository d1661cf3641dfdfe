#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::io {

/// Folders that hold models/, hardware/, runs/ and measurements/, best first: the environment
/// variable HEADROOM_CONFIGS, share/headroom/configs beside the program, the source tree it was
/// built from. Only those that exist.
[[nodiscard]] std::vector<std::filesystem::path> config_dirs();

/// The file that `name` means: a path relative to `base` (or absolute), else `kind`/name in a
/// folder of config_dirs(), with or without its ending. Nothing when there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_config(std::string_view kind,
                                                               const std::string& name,
                                                               const std::filesystem::path& base);

/// The YAML files of `kind` (`models`, `hardware`, ...), sorted by name; a name in two folders
/// counts from the first.
[[nodiscard]] std::vector<std::filesystem::path> list_configs(std::string_view kind);

}  // namespace headroom::io
