#pragma once

#include "core/describe/op.h"

#include <string_view>

namespace headroom {

/// One state tensor that an optimizer keeps per parameter, e.g. `exp_avg`. Starts at zero.
struct StateSpec {
  std::string_view name;
  TensorType type;
};
using StateSpecs = SmallList<StateSpec, 4>;

/// An optimizer described like an op: what it keeps per parameter and what an update costs.
/// Hyper-parameters are members of the derived class; the learning rate comes with each step.
class UpdateRule : public Operation {
 public:
  [[nodiscard]] virtual StateSpecs states(const TensorType& parameter) const = 0;
  [[nodiscard]] virtual Work update_work(const TensorType& parameter) const = 0;
};

}  // namespace headroom
