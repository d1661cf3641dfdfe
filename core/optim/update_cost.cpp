#include "core/optim/update_cost.h"

namespace headroom::optim {

Work update_cost(const UpdateRule& rule, const TensorType& parameter, double flops_per_element) {
  Bytes kept = parameter.bytes();
  for (const StateSpec& state : rule.states(parameter)) kept += state.type.bytes();
  Work work{.read = kept + parameter.bytes(), .written = kept, .compute = parameter.dtype};
  work.other_flops = Flops(flops_per_element * static_cast<double>(parameter.shape.numel()));
  return work;
}

}  // namespace headroom::optim
