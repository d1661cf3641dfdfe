#pragma once

#include "core/describe/config_node.h"
#include "core/describe/plan.h"
#include "estimator/hardware_catalog.h"

#include <functional>
#include <string>

namespace headroom::estimator {

/// Where the hardware of a plan is found. The estimator opens no files and asks no machine itself.
struct HardwareSources {
  const HardwareCatalog* catalog = nullptr;
  Bytes machine_memory;  ///< of this machine: the capacity of a processor whose file has none
  std::function<ConfigNode(const std::string& path)> read_file;  ///< for plans that name a file
};

/// The device a plan is estimated for: a catalog name, the path of a hardware file, or this
/// machine's processor when the plan names none.
/// Errors: ConfigError with the nearest names; what `read_file` throws.
[[nodiscard]] Hardware hardware_of(const Plan& plan, const HardwareSources& sources);

/// The plan as it ran on `device` (`cpu` or `cuda`, as run logs say): a run on the processor used
/// no GPU, whatever the plan assumed for estimates.
[[nodiscard]] Plan as_run_on(Plan plan, const std::string& device);

}  // namespace headroom::estimator
