#include "core/optim/rmsprop.h"

#include "core/optim/update_cost.h"

namespace headroom::optim {

StateSpecs Rmsprop::states(const TensorType& parameter) const {
  StateSpecs states{same_as(parameter, "square_avg")};
  if (options_.centered) states.push_back(same_as(parameter, "grad_avg"));
  if (options_.momentum != 0) states.push_back(same_as(parameter, "momentum_buffer"));
  return states;
}

Work Rmsprop::update_work(const TensorType& parameter) const {
  double flops = 9;
  if (options_.weight_decay != 0) flops += 2;
  if (options_.centered) flops += 5;
  if (options_.momentum != 0) flops += 2;
  return update_cost(*this, parameter, flops);
}

}  // namespace headroom::optim
