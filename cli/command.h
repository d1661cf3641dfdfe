#pragma once

#include "core/describe/error.h"

#include <span>
#include <string>
#include <vector>

namespace headroom::cli {

/// One word of `headroom WORD ...`.
struct Command {
  std::string_view name;
  std::string_view synopsis;  ///< the rest of the command line
  std::string_view summary;   ///< one line for `headroom --help`
  /// Runs with the words behind the command. Errors: ConfigError and the other errors of error.h.
  ExitCode (*run)(std::span<const std::string> words);
};

ExitCode run_estimate(std::span<const std::string> words);
ExitCode run_validate(std::span<const std::string> words);
ExitCode run_explain(std::span<const std::string> words);
ExitCode run_list(std::span<const std::string> words);
ExitCode run_compare(std::span<const std::string> words);
ExitCode run_train(std::span<const std::string> words);
ExitCode run_bench(std::span<const std::string> words);
ExitCode run_data(std::span<const std::string> words);
ExitCode run_sample(std::span<const std::string> words);

/// Every command of this build, in the order of the help text.
[[nodiscard]] std::span<const Command> commands();
[[nodiscard]] const Command& command(std::string_view name);

}  // namespace headroom::cli
