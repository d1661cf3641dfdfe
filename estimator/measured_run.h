#pragma once

#include "core/describe/run_records.h"
#include "estimator/compare.h"

#include <string>
#include <vector>

namespace headroom::estimator {

/// What a run measured of itself, read from the records of its log: memory from the last memory
/// record, the step time as the median of the last session without its first two steps.
/// Errors: Error naming `run` when no step and its memory have been logged yet.
[[nodiscard]] MeasuredRun measured_run(const std::vector<LogRecord>& records,
                                       const std::string& run);

}  // namespace headroom::estimator
