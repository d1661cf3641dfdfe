#include "trainer/resume.h"

#include "core/describe/error.h"
#include "core/describe/plan_schema.h"
#include "core/io/atomic_file.h"
#include "core/io/plan_yaml.h"

#include <optional>

namespace headroom::trainer {
namespace {

/// Keys that decide what the tensors of a checkpoint mean, or which samples come next.
bool must_match(std::string_view path) {
  for (std::string_view prefix :
       {"model.", "data.", "training.micro_batch_size", "training.gradient_accumulation_steps",
        "training.seed", "training.precision", "training.optimizer.name",
        "training.optimizer.momentum", "training.optimizer.centered"}) {
    if (path.starts_with(prefix)) return true;
  }
  return false;
}

/// Keys that change nothing about the numbers of a run.
bool may_differ(std::string_view path) {
  return path.starts_with("output.") || path == "training.max_steps" || path == "framework" ||
         path.starts_with("hardware.");
}

void compare_plans(const Plan& before,
                   const Plan& now,
                   const RunDirectory& run,
                   std::vector<std::string>& warnings) {
  std::vector<Problem> problems;
  for (const KeySpec& key : plan_schema()) {
    if (key.access.get == nullptr || may_differ(key.path)) continue;
    const std::string old_value = to_text(key.access.get(before));
    const std::string new_value = to_text(key.access.get(now));
    if (old_value == new_value) continue;
    const std::string change = old_value + " in the run, " + new_value + " now";
    if (must_match(key.path)) {
      Problem problem;
      problem.key = key.path;
      problem.message = "cannot resume " + run.path().string() + ": " + change;
      problem.hint = "put the old value back, or start a new run without --resume";
      problems.push_back(std::move(problem));
    } else {
      warnings.push_back(std::string(key.path) + " differs: " + change);
    }
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

}  // namespace

ResumeChoice choose_run(const Plan& plan, const std::string& name, const std::string& resume) {
  std::optional<RunDirectory> existing;
  if (resume == "auto") {
    existing = RunDirectory::newest_with_checkpoint(plan.output.dir, name);
  } else if (!resume.empty()) {
    existing = RunDirectory::open(resume);
    if (existing->checkpoints().empty()) {
      throw IoError(resume + " has no checkpoint to resume from");
    }
  }
  if (existing) {
    ResumeChoice choice{.directory = *existing, .resume = true, .warnings = {}};
    compare_plans(io::load_run_plan(existing->path()).plan, plan, *existing, choice.warnings);
    return choice;
  }
  ResumeChoice choice{
      .directory = RunDirectory::create(plan.output.dir, name), .resume = false, .warnings = {}};
  io::write_atomically(choice.directory.plan(), io::write_plan_yaml(plan));
  return choice;
}

}  // namespace headroom::trainer
