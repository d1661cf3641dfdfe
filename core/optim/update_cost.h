#pragma once

#include "core/describe/update_rule.h"

namespace headroom::optim {

/// The cost of one pass over a parameter: the gradient is read, parameter and states are read and
/// written.
[[nodiscard]] Work update_cost(const UpdateRule& rule,
                               const TensorType& parameter,
                               double flops_per_element);

/// States of the parameter's own shape and dtype.
[[nodiscard]] inline StateSpec same_as(const TensorType& parameter, std::string_view name) {
  return {.name = name, .type = parameter};
}

}  // namespace headroom::optim
