#pragma once

#include "cli/command.h"

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include <span>
#include <string>
#include <vector>

namespace headroom::cli {

/// The words of one command, taken apart.
struct Arguments {
  boost::program_options::variables_map options;
  std::vector<std::string> words;  ///< what is no option, in order
  bool help = false;               ///< --help was given and has been answered

  [[nodiscard]] bool has(const char* name) const;
  [[nodiscard]] std::string text(const char* name) const;
};

/// Parses options anywhere among the words. Answers --help itself with the command's synopsis and
/// options. Errors: Error (usage) naming the unknown option and the nearest known one.
[[nodiscard]] Arguments parse(std::string_view command,
                              std::span<const std::string> words,
                              const boost::program_options::options_description& options);

/// Errors: Error (usage) naming the first word past the `most` that the command takes.
void refuse_more_words(std::string_view command,
                       const std::vector<std::string>& words,
                       std::size_t most);

/// A plan and the `key=value` words that change it.
struct PlanWords {
  std::string path;
  std::vector<std::string> overrides;
};
/// Splits words into the one plan path and its overrides. Errors: Error (usage) when there is no
/// path or more than one.
[[nodiscard]] PlanWords plan_words(std::string_view command, const std::vector<std::string>& words);
[[nodiscard]] bool is_override(const std::string& word);

/// --gpu and --gpus as overrides, appended.
void add_gpu_options(boost::program_options::options_description& options);
void apply_gpu_options(const Arguments& arguments, PlanWords& words);

}  // namespace headroom::cli
