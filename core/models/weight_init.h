#pragma once

#include "core/describe/initializer.h"
#include "core/describe/plan_enums.h"

namespace headroom::models {

/// First values of a linear layer's weight under the plan's scheme.
[[nodiscard]] Initializer weight_init(Initialization scheme,
                                      std::int64_t fan_in,
                                      std::int64_t fan_out);
/// First values of its bias: PyTorch's nn.Linear draws them, every other scheme starts at zero.
[[nodiscard]] Initializer bias_init(Initialization scheme, std::int64_t fan_in);

}  // namespace headroom::models
