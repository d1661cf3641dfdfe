#pragma once

#include "core/describe/plan.h"
#include "core/describe/run_records.h"
#include "trainer/run_directory.h"

namespace headroom::trainer {

/// Writes summary.json: how the newest session of the run ended, for scripts that want no log.
/// Errors: IoError.
void write_summary(const RunDirectory& directory, const Plan& plan, const EndRecord& end);

}  // namespace headroom::trainer
