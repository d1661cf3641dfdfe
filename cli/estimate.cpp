#include "cli/arguments.h"
#include "cli/estimate_report.h"
#include "cli/json_parts.h"
#include "cli/plan_input.h"
#include "core/io/plan_yaml.h"

#include <boost/program_options.hpp>

#include <iostream>

namespace headroom::cli {

namespace po = boost::program_options;

ExitCode run_estimate(std::span<const std::string> words) {
  po::options_description options;
  options.add_options()("json", po::bool_switch(), "one JSON document instead of text");
  options.add_options()("check", po::bool_switch(), "exit 3 if the plan does not fit");
  options.add_options()("timeline", po::bool_switch(), "also memory call by call over one step");
  options.add_options()("print-config", po::bool_switch(),
                        "print the resolved plan with the origin of every value, nothing else");
  add_gpu_options(options);
  const Arguments arguments = parse("estimate", words, options);
  if (arguments.help) return ExitCode::kOk;
  PlanWords plan = plan_words("estimate", arguments.words);
  apply_gpu_options(arguments, plan);
  const LoadedPlan loaded = load_plan_with_notes(plan);
  if (arguments.has("print-config")) {
    std::cout << (arguments.has("json")
                      ? plan_document_json(loaded)
                      : io::write_plan_yaml(loaded.plan,
                                            {.origins = &loaded.origins, .show_origins = true}));
    return ExitCode::kOk;
  }
  const estimator::Estimate estimate = estimate_plan(loaded.plan, hardware_of(loaded.plan));
  const ReportOptions report{.timeline = arguments.has("timeline")};
  std::cout << (arguments.has("json") ? estimate_json(estimate, report)
                                      : estimate_text(estimate, report));
  const bool refused = arguments.has("check") && estimate.verdict.fits == false;
  return refused ? ExitCode::kDoesNotFit : ExitCode::kOk;
}

}  // namespace headroom::cli
