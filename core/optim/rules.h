#pragma once

#include "core/describe/plan.h"
#include "core/describe/update_rule.h"

#include <memory>

namespace headroom::optim {

/// The update rule that a plan's optimizer section names, with its hyper-parameters.
/// Errors: Error if the hyper-parameters exclude each other (nesterov without momentum).
[[nodiscard]] std::unique_ptr<UpdateRule> make_rule(const OptimizerPlan& plan);

}  // namespace headroom::optim
