#include "cli/arguments.h"
#include "cli/compare_report.h"
#include "cli/plan_input.h"
#include "core/io/plan_yaml.h"
#include "core/io/run_log.h"
#include "estimator/measured_run.h"

#include <boost/program_options.hpp>

#include <filesystem>
#include <iostream>

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

ExitCode compare_run(const fs::path& folder, const std::vector<std::string>& overrides, bool json) {
  const fs::path log = folder / "run.jsonl";
  if (!fs::exists(log)) {
    throw IoError(folder.string() + " is not a run folder: it has no run.jsonl");
  }
  const Plan plan = load_run_plan_with_notes(folder, overrides).plan;
  const auto measured = estimator::measured_run(io::read_run_log(log), log.string());
  const auto predicted = estimate_plan(plan, hardware_for_run(plan, measured.device));
  const auto comparison = estimator::compare(predicted, measured);
  std::cout << (json ? comparison_json(comparison) : comparison_text(comparison, folder.string()));
  return ExitCode::kOk;
}

ExitCode compare_plans(const std::vector<std::string>& paths,
                       const std::vector<std::string>& overrides,
                       bool json) {
  std::vector<PlanColumn> columns;
  for (const std::string& path : paths) {
    const Plan plan = load_plan_with_notes({.path = path, .overrides = overrides}).plan;
    columns.push_back({fs::path(path).stem().string(), estimate_plan(plan, hardware_of(plan))});
  }
  std::cout << (json ? plans_json(columns) : plans_text(columns));
  return ExitCode::kOk;
}

}  // namespace

ExitCode run_compare(std::span<const std::string> words) {
  po::options_description options;
  options.add_options()("json", po::bool_switch(), "one JSON document instead of text");
  const Arguments arguments = parse("compare", words, options);
  if (arguments.help) return ExitCode::kOk;
  std::vector<std::string> paths, overrides;
  for (const std::string& word : arguments.words) {
    (is_override(word) ? overrides : paths).push_back(word);
  }
  const bool json = arguments.has("json");
  if (paths.size() == 1 && fs::is_directory(paths[0]))
    return compare_run(paths[0], overrides, json);
  if (paths.size() >= 2) return compare_plans(paths, overrides, json);
  throw Error(paths.empty()
                  ? "compare what? Give a run folder, or two plans"
                  : paths[0] + " is no run folder; give two plans or more to compare plans",
              ExitCode::kUsage);
}

}  // namespace headroom::cli
