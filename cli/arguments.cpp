#include "cli/arguments.h"

#include "cli/wrap.h"
#include "core/describe/spelling.h"

#include <boost/program_options.hpp>

#include <iostream>

namespace headroom::cli {

namespace po = boost::program_options;

namespace {

std::vector<std::string> long_names(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back("--" + option->long_name());
  return names;
}

[[noreturn]] void usage_error(std::string_view name, const std::string& message) {
  throw Error(message + "; see headroom " + std::string(name) + " --help", ExitCode::kUsage);
}

}  // namespace

bool Arguments::has(const char* name) const {
  const auto found = options.find(name);
  if (found == options.end()) return false;
  if (found->second.value().type() == typeid(bool)) return found->second.as<bool>();
  return !found->second.defaulted();
}

std::string Arguments::text(const char* name) const { return options[name].as<std::string>(); }

Arguments parse(std::string_view name,
                std::span<const std::string> words,
                const po::options_description& options) {
  po::options_description all;
  all.add(options);
  all.add_options()("help,h", po::bool_switch(), "show this");
  po::options_description hidden;
  hidden.add(all);
  hidden.add_options()("word", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("word", -1);
  Arguments arguments;
  try {
    // Abbreviated options would change their meaning when another one is added.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(std::vector<std::string>(words.begin(), words.end()))
                  .options(hidden)
                  .positional(positional)
                  .style(style)
                  .run(),
              arguments.options);
    po::notify(arguments.options);
  } catch (const po::unknown_option& error) {
    usage_error(name, "unknown option " + error.get_option_name() +
                          did_you_mean(error.get_option_name(), long_names(all)));
  } catch (const po::error& error) {
    usage_error(name, error.what());
  }
  if (arguments.options.count("word") != 0) {
    arguments.words = arguments.options["word"].as<std::vector<std::string>>();
  }
  arguments.help = arguments.has("help");
  if (arguments.help) {
    const Command& entry = command(name);
    std::cout << wrap("headroom " + std::string(entry.name) + ' ' + std::string(entry.synopsis), "",
                      "    ")
              << '\n'
              << entry.summary << "\n\noptions\n"
              << all;
  }
  return arguments;
}

void refuse_more_words(std::string_view name,
                       const std::vector<std::string>& words,
                       std::size_t most) {
  if (words.size() <= most) return;
  if (most == 0) usage_error(name, "`" + words[0] + "` is one word too many: none is taken");
  usage_error(name, "one at a time: `" + words[most] + "` after `" + words[most - 1] +
                        "` is one word too many");
}

bool is_override(const std::string& word) {
  return word.find('=') != std::string::npos || word.starts_with('~') || word.starts_with('+');
}

PlanWords plan_words(std::string_view name, const std::vector<std::string>& words) {
  PlanWords result;
  for (const std::string& word : words) {
    if (is_override(word)) {
      result.overrides.push_back(word);
    } else if (result.path.empty()) {
      result.path = word;
    } else {
      usage_error(name, "one plan at a time: got " + result.path + " and " + word +
                            " (changes are written key=value)");
    }
  }
  if (result.path.empty()) usage_error(name, "which plan? Give the path of a YAML file");
  return result;
}

void add_gpu_options(po::options_description& options) {
  options.add_options()("gpu", po::value<std::string>(), "short for hardware.gpu=NAME");
  options.add_options()("gpus", po::value<std::string>(), "short for hardware.count=N");
}

void apply_gpu_options(const Arguments& arguments, PlanWords& words) {
  if (arguments.has("gpu")) words.overrides.push_back("hardware.gpu=" + arguments.text("gpu"));
  if (arguments.has("gpus")) words.overrides.push_back("hardware.count=" + arguments.text("gpus"));
}

}  // namespace headroom::cli
