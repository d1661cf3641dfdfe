#pragma once

#include "core/describe/plan_read.h"

#include <filesystem>
#include <span>
#include <string>

namespace headroom::io {

/// Reads a plan file (`-`: standard input), changes it by command-line words and resolves it.
/// `model.config` is followed; paths are made absolute, those of the file from its folder, those
/// of overrides from the current one.
/// Errors: ConfigError when there is no such file, and with all problems of file, preset and words
/// together; IoError when the file cannot be read.
[[nodiscard]] LoadedPlan load_plan(const std::filesystem::path& path,
                                   std::span<const std::string> overrides = {});

/// The same for a tree that is already parsed; `folder` is what its paths are relative to.
[[nodiscard]] LoadedPlan load_plan(ConfigNode root,
                                   const std::filesystem::path& folder,
                                   std::span<const std::string> overrides = {});

/// Reads the plan.yaml of a run folder. Errors: as load_plan; IoError when it is missing.
[[nodiscard]] LoadedPlan load_run_plan(const std::filesystem::path& run,
                                       std::span<const std::string> overrides = {});

/// How much a written plan says about its keys.
enum class Comments {
  kNone,
  kBrief,  ///< unit and default behind every key
  kFull,   ///< meaning, range, default and effects above every key
};

struct WriteOptions {
  Comments comments = Comments::kNone;
  const Origins* origins = nullptr;  ///< of LoadedPlan; the next two need it
  bool show_origins = false;         ///< every line ends with where its value came from
  bool given_only = false;           ///< leave out defaults
  /// Not empty: paths below this folder are written relative to it.
  std::filesystem::path relative_to;
};

/// The resolved plan as YAML; loading it gives an equal plan.
[[nodiscard]] std::string write_plan_yaml(const Plan& plan, const WriteOptions& options = {});

}  // namespace headroom::io
