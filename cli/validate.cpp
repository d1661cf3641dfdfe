#include "cli/arguments.h"
#include "cli/plan_input.h"
#include "cli/terminal.h"
#include "core/describe/format.h"

#include <boost/program_options.hpp>

#include <filesystem>
#include <iostream>

#if HEADROOM_HAS_ENGINE
#include "trainer/batches.h"
#endif

namespace headroom::cli {
namespace {

/// Opens the data as training would, so that what validates also starts.
std::string check_data(const Plan& plan) {
#if HEADROOM_HAS_ENGINE
  const auto loader = trainer::make_loader(plan);
  loader->check_values();
  return trainer::data_description(*loader);
#else
  if (!plan.data.path.empty() && !std::filesystem::exists(plan.data.path)) {
    throw IoError("data.path: " + plan.data.path + " does not exist");
  }
  return "not opened: this build has no training engine";
#endif
}

}  // namespace

ExitCode run_validate(std::span<const std::string> words) {
  boost::program_options::options_description options;
  add_gpu_options(options);
  const Arguments arguments = parse("validate", words, options);
  if (arguments.help) return ExitCode::kOk;
  PlanWords plan = plan_words("validate", arguments.words);
  apply_gpu_options(arguments, plan);
  const LoadedPlan loaded = load_plan_with_notes(plan);
  const std::string data = check_data(loaded.plan);
  const estimator::Estimate estimate = estimate_plan(loaded.plan, hardware_of(loaded.plan));
  std::cout << plan.path << ": " << paint("ok", Colour::kGreen) << ", "
            << model_type(loaded.plan.model) << " with " << format_count(estimate.model.parameters)
            << " parameters; data: " << data << '\n';
  return ExitCode::kOk;
}

}  // namespace headroom::cli
