#pragma once

#include "cli/arguments.h"
#include "core/describe/plan_read.h"
#include "estimator/estimate.h"
#include "estimator/hardware_catalog.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headroom::cli {

/// The hardware files that ship with the program or that HEADROOM_CONFIGS names.
[[nodiscard]] estimator::HardwareCatalog load_hardware_catalog();

/// The device a plan is estimated for: a catalog name, the path of a hardware file, or this
/// machine's processor when the plan names none.
/// Errors: ConfigError with the nearest names.
[[nodiscard]] estimator::Hardware hardware_of(const Plan& plan);

/// The hardware that a run on `device` ("cpu" or "cuda") is compared with: the plan's own if it
/// describes that kind of device, otherwise this machine's processor or the GPU's generic figures.
[[nodiscard]] estimator::Hardware hardware_for_run(const Plan& plan, std::string_view device);

/// Loads a plan with its overrides and prints notes (other spellings, ...) to standard error.
[[nodiscard]] LoadedPlan load_plan_with_notes(const PlanWords& words);

/// The same for the plan of a run folder.
[[nodiscard]] LoadedPlan load_run_plan_with_notes(const std::filesystem::path& run,
                                                  const std::vector<std::string>& overrides);

/// Items of the plan's data set, where that can be told without a model; nothing otherwise.
[[nodiscard]] std::optional<std::int64_t> dataset_items(const Plan& plan);

[[nodiscard]] estimator::Estimate estimate_plan(const Plan& plan,
                                                const estimator::Hardware& hardware);

}  // namespace headroom::cli
