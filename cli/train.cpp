#include "cli/arguments.h"
#include "cli/compare_report.h"
#include "cli/estimate_report.h"
#include "cli/plan_input.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "core/describe/format.h"
#include "core/io/atomic_file.h"
#include "core/io/plan_yaml.h"
#include "core/io/run_log.h"
#include "core/models/training_step.h"
#include "estimator/measured_run.h"
#include "trainer/batches.h"
#include "trainer/pretrained.h"
#include "trainer/resume.h"
#include "trainer/training_run.h"

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <string>

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

// A signal handler may only touch lock-free atomics.
std::atomic<bool> stop_requested{false};

extern "C" void on_interrupt(int signal) {
  if (stop_requested.exchange(true)) {
    constexpr int kSignalled = 128;
    ::_exit(kSignalled + signal);
  }
  constexpr char kText[] = "\nfinishing this step and saving; press Ctrl-C again to stop at once\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText, sizeof(kText) - 1);
}

void print_warning(const std::string& text) {
  std::cerr << paint("warning", Colour::kYellow, Stream::kErr) << ": " << text << '\n';
}

/// Shows records as they come: a banner, the progress line, and what was saved.
class Display final : public trainer::RunObserver {
 public:
  void on_record(const LogRecord& record) override {
    if (const auto* run = std::get_if<RunRecord>(&record)) {
      progress_.start(*run);
      item_ = run->item;
      std::cerr << fmt::format(
                       "{} on {}: {}, {} per step, {}\n", run->model, run->device_name,
                       format_counted(run->parameters, "parameter"),
                       format_counted(run->items_per_step, run->item),
                       run->first_step == run->total_steps
                           ? fmt::format("step {}", run->total_steps)
                           : fmt::format("steps {} to {}", run->first_step, run->total_steps))
                << "data: " << run->data << '\n';
      if (run->peak_flops_per_s) {
        std::cerr << "peak for MFU: " << format_rate(FlopsPerSecond(*run->peak_flops_per_s)) << " ("
                  << run->peak_source << ")\n";
      }
    } else if (const auto* step = std::get_if<StepRecord>(&record)) {
      progress_.step(*step);
    } else if (const auto* eval = std::get_if<EvalRecord>(&record)) {
      progress_.pause();
      std::cerr << fmt::format("held-out loss after step {}: {} ({} bits per {})\n", eval->step,
                               format_value(eval->loss, 5),
                               format_value(eval->loss / std::numbers::ln2, 4), item_);
    } else if (std::holds_alternative<EndRecord>(record)) {
      progress_.pause();
    }
  }
  void on_warning(const std::string& text) override {
    progress_.pause();
    print_warning(text);
  }

 private:
  Progress progress_;
  std::string item_;  ///< "token" or "sample"
};

/// A plan that cannot fit is refused with its table and what would help.
void refuse_if_too_large(const estimator::Estimate& estimate) {
  if (estimate.verdict.fits != false) return;
  std::cerr << memory_text(estimate);
  for (const estimator::Suggestion& s : estimate.verdict.suggestions) {
    std::cerr << "  try " << s.change << ": saves " << format_bytes(s.saves)
              << (s.fits ? " and fits" : "") << '\n';
  }
  throw Error("this plan does not fit and was not started", ExitCode::kDoesNotFit);
}

void print_end(const trainer::RunOutcome& outcome, const fs::path& folder) {
  const EndRecord& end = outcome.end;
  if (outcome.had_all_steps) {
    std::cerr << fmt::format(
        "{} has all {} already: nothing to do (a higher training.max_steps goes on)\n",
        folder.string(), format_counted(end.step, "step"));
    std::cout << folder.string() << '\n';
    return;
  }
  std::string text = fmt::format("{} after {} in {}", end.reason, format_counted(end.step, "step"),
                                 format_seconds(Seconds(end.wall_s)));
  if (end.first_loss && end.last_loss) {
    text += fmt::format("; loss {} -> {}", format_value(*end.first_loss, 6),
                        format_value(*end.last_loss, 6));
  }
  if (end.mfu) text += fmt::format("; MFU {}", format_percent(*end.mfu));
  std::cerr << text << '\n';
  if (!end.message.empty()) std::cerr << end.message << '\n';
  std::cout << folder.string() << '\n';
  std::cerr << "compare it with its estimate: headroom compare " << folder.string() << '\n';
}

}  // namespace

ExitCode run_train(std::span<const std::string> words) {
  po::options_description options;
  options.add_options()("resume", po::value<std::string>(),
                        "auto: the newest run of this plan that has a checkpoint; or a run folder");
  options.add_options()("dry-run", po::bool_switch(),
                        "check everything a run needs, print the estimate, start nothing");
  add_gpu_options(options);
  const Arguments arguments = parse("train", words, options);
  if (arguments.help) return ExitCode::kOk;
  PlanWords plan_input = plan_words("train", arguments.words);
  apply_gpu_options(arguments, plan_input);
  const LoadedPlan loaded = load_plan_with_notes(plan_input);
  const Plan& plan = loaded.plan;

  if (world_size(plan.parallel) > 1 || plan.hardware.count > 1) {
    Problem problem;
    problem.key = "hardware.count";
    problem.message = "this version trains on one device";
    problem.hint = "set hardware.count and parallel.data to 1, or only estimate";
    throw ConfigError({problem});
  }
  trainer::OpenedDevice device = trainer::open_device(plan);
  trainer::make_loader(plan)
      ->check_values();  // bad data and weights are refused before a run folder exists
  if (!plan.model.weights.empty()) {
    trainer::check_pretrained(plan.model.weights, models::training_step(plan, kCpuTraits));
  }
  const auto estimate = estimate_plan(plan, hardware_for_run(plan, device.device->name()));
  refuse_if_too_large(estimate);
  if (arguments.has("dry-run")) {
    std::cout << estimate_text(estimate, {});
    return ExitCode::kOk;
  }
  std::cerr << memory_text(estimate);

  const std::string name = fs::path(plan_input.path).stem().string();
  const std::string resume = arguments.has("resume") ? arguments.text("resume") : "";
  const trainer::ResumeChoice choice = trainer::choose_run(plan, name, resume);
  for (const std::string& warning : choice.warnings) print_warning(warning);
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);

  Display display;
  const trainer::RunOutcome outcome = trainer::train(
      plan, std::move(device), choice.directory,
      {.resume = choice.resume, .stop = &stop_requested, .program = program_name()}, display);
  print_end(outcome, choice.directory.path());
  return outcome.code;
}

}  // namespace headroom::cli
