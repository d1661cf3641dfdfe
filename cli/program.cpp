#include "cli/program.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "cli/wrap.h"
#include "core/describe/spelling.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>

#if HEADROOM_HAS_ENGINE
#include "core/runtime/cpu/prepare_process.h"
#endif

namespace headroom::cli {
namespace {

constexpr std::array kCommands = {
    Command{"estimate",
            "PLAN [key=value ...] [--gpu NAME] [--gpus N] [--json] [--check] [--timeline]",
            "memory, FLOPs, time, cost and whether it fits, before anything runs", run_estimate},
    Command{"validate", "PLAN [key=value ...]",
            "check a plan file and say all that is wrong with it", run_validate},
#if HEADROOM_HAS_ENGINE
    Command{"train", "PLAN [key=value ...] [--resume auto|DIR] [--dry-run]",
            "run a plan and measure it", run_train},
#endif
    Command{"compare", "RUN_DIR | PLAN_A PLAN_B ... [--json]",
            "predicted beside measured, or plans beside each other", run_compare},
#if HEADROOM_HAS_ENGINE
    Command{"bench", "[--device cpu|cuda] [--json] [-o hardware.yaml]",
            "measure this machine: matrix products by size, memory bandwidth", run_bench},
    Command{"data", "info FILE | text FILE ... -o FILE.bin",
            "look at data, or turn text into tokens", run_data},
    Command{"sample", "RUN_DIR [--prompt TEXT] [--tokens N] [--temperature T]",
            "let a trained model continue a text", run_sample},
#endif
    Command{"explain", "NAME", "a plan key, a GPU, a dtype or an optimizer in words", run_explain},
    Command{"list", "models|gpus|optimizers|dtypes|frameworks|keys",
            "everything there is of a kind", run_list},
};

void print_help() {
  std::cout
      << "headroom: what a training run needs before it starts, the run, and both compared\n\n"
         "  headroom estimate configs/runs/cruncher.yaml\n"
         "  headroom estimate configs/runs/cruncher.yaml --gpu h100-sxm "
         "training.micro_batch_size=4096\n"
         "  headroom train configs/runs/mlp-digits.yaml\n"
         "  headroom compare runs/mlp-digits-1\n\ncommands\n";
  for (const Command& entry : kCommands) {
    std::cout << "  " << entry.name << std::string(10 - entry.name.size(), ' ') << entry.summary
              << '\n';
  }
  std::cout << '\n'
            << wrap(
                   "`headroom help COMMAND` shows its options. Words with `=` change plan keys; "
                   "dashes are for the tool.",
                   "", "")
            << wrap(
                   "exit codes: 0 ok, 1 failure, 2 usage or plan, 3 does not fit, 4 diverged, 5 "
                   "out of memory, 130 interrupted",
                   "", "  ");
}

bool asks_for_help(const std::string& word) {
  return word == "--help" || word == "-h" || word == "help";
}

ExitCode dispatch(std::span<const std::string> words) {
  const bool help = !words.empty() && asks_for_help(words[0]);
  if (help && words.size() > 1 && !asks_for_help(words[1])) {
    refuse_more_words("help", {words.begin() + 1, words.end()}, 1);
    return dispatch(std::vector<std::string>{words[1], "--help"});
  }
  if (words.empty() || help) {
    print_help();
    return words.empty() ? ExitCode::kUsage : ExitCode::kOk;
  }
  if (words[0] == "--version") {
    std::cout << version_text() << '\n';
    return ExitCode::kOk;
  }
  for (const Command& entry : kCommands) {
    if (entry.name == words[0]) return entry.run(words.subspan(1));
  }
  std::vector<std::string> names;
  for (const Command& entry : kCommands) names.emplace_back(entry.name);
#if !HEADROOM_HAS_ENGINE
  for (const char* missing : {"train", "bench", "data"}) {
    if (words[0] == missing) {
      throw Error("this build plans only; `" + words[0] + "` needs the training engine",
                  ExitCode::kUsage);
    }
  }
#endif
  throw Error("there is no command `" + words[0] + "`" + did_you_mean(words[0], names) +
                  "; see headroom --help",
              ExitCode::kUsage);
}

void report(const std::exception& error) {
  std::cout.flush();
  const std::string label = paint("error", Colour::kRed, Stream::kErr);
  const auto* config = dynamic_cast<const ConfigError*>(&error);
  if (config == nullptr) {
    std::cerr << label << ": " << printable(error.what()) << '\n';
    return;
  }
  for (const Problem& problem : config->problems()) {
    std::cerr << label << ": " << to_string(problem) << '\n';
  }
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command& command(std::string_view name) {
  return *std::find_if(kCommands.begin(), kCommands.end(),
                       [&](const Command& entry) { return entry.name == name; });
}

int run_program(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
#if HEADROOM_HAS_ENGINE
  if (!words.empty() && (words[0] == "train" || words[0] == "bench")) {
    runtime::prepare_process(argv);
  }
#endif
  try {
    const ExitCode code = dispatch(words);
    std::cout.flush();
    if (!std::cout) throw Error("cannot write to standard output");
    return static_cast<int>(code);
  } catch (const Error& error) {
    report(error);
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::cerr << "error: out of memory\n";
    return static_cast<int>(ExitCode::kOutOfMemory);
  } catch (const std::exception& error) {
    report(error);
    return static_cast<int>(ExitCode::kFailure);
  }
}

}  // namespace headroom::cli
