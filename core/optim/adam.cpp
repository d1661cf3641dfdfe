#include "core/optim/adam.h"

#include "core/optim/update_cost.h"

namespace headroom::optim {

StateSpecs Adam::states(const TensorType& parameter) const {
  return {same_as(parameter, "exp_avg"), same_as(parameter, "exp_avg_sq")};
}

Work Adam::update_work(const TensorType& parameter) const {
  return update_cost(*this, parameter, options_.weight_decay != 0 ? 15 : 13);
}

}  // namespace headroom::optim
