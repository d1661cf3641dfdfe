#include "core/optim/adamw.h"

#include "core/optim/update_cost.h"

namespace headroom::optim {

double Adamw::decay_of(const TensorType& parameter) const {
  const bool vector = parameter.shape.rank() < 2;
  return vector && !options_.decay_vectors ? 0 : options_.weight_decay;
}

StateSpecs Adamw::states(const TensorType& parameter) const {
  return {same_as(parameter, "exp_avg"), same_as(parameter, "exp_avg_sq")};
}

Work Adamw::update_work(const TensorType& parameter) const {
  return update_cost(*this, parameter, decay_of(parameter) != 0 ? 14 : 13);
}

}  // namespace headroom::optim
