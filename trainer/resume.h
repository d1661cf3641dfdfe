#pragma once

#include "core/describe/plan.h"
#include "trainer/run_directory.h"

#include <string>
#include <vector>

namespace headroom::trainer {

/// Where a run will be written, and whether it goes on from a checkpoint.
struct ResumeChoice {
  RunDirectory directory;
  bool resume = false;
  std::vector<std::string> warnings;  ///< keys whose values differ from the run being resumed
};

/// `resume` is empty (a new run), `auto` (the newest run of this name with a checkpoint, or a new
/// one) or a run folder. Writes the resolved plan into a new folder.
/// Errors: ConfigError when the plan's model, optimizer, seed, batch or data differ from those of
/// the run, since its checkpoint would mean something else; IoError.
[[nodiscard]] ResumeChoice choose_run(const Plan& plan,
                                      const std::string& name,
                                      const std::string& resume);

}  // namespace headroom::trainer
