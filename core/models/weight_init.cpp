#include "core/models/weight_init.h"

#include <cmath>

namespace headroom::models {

Initializer weight_init(Initialization scheme, std::int64_t fan_in, std::int64_t fan_out) {
  switch (scheme) {
    case Initialization::kFanInNormal:
      return Initializer::fan_in_normal(fan_in);
    case Initialization::kXavierNormal:
      return Initializer::xavier_normal(fan_in, fan_out);
    case Initialization::kXavierUniform:
      return Initializer::xavier_uniform(fan_in, fan_out);
    case Initialization::kKaimingNormal:
      return Initializer::kaiming_normal(fan_in);
    case Initialization::kKaimingUniform:
      return Initializer::kaiming_uniform(fan_in);
    case Initialization::kTorchLinear:
      return Initializer::fan_in_uniform(fan_in);
    case Initialization::kTruncatedNormal:
      return Initializer::truncated_normal(1.0 / std::sqrt(static_cast<double>(fan_in)));
    case Initialization::kGpt2:
      return Initializer::normal(0.02);
  }
  return {};
}

Initializer bias_init(Initialization scheme, std::int64_t fan_in) {
  return scheme == Initialization::kTorchLinear ? Initializer::fan_in_uniform(fan_in)
                                                : Initializer::zeros();
}

}  // namespace headroom::models
