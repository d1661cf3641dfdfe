#include "core/optim/adamw.h"

#include "core/optim/update_cost.h"

namespace headroom::optim {

StateSpecs Adamw::states(const TensorType& parameter) const {
  return {same_as(parameter, "exp_avg"), same_as(parameter, "exp_avg_sq")};
}

Work Adamw::update_work(const TensorType& parameter) const {
  return update_cost(*this, parameter, options_.weight_decay != 0 ? 14 : 13);
}

}  // namespace headroom::optim
