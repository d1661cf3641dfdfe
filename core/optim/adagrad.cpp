#include "core/optim/adagrad.h"

#include "core/optim/update_cost.h"

namespace headroom::optim {

StateSpecs Adagrad::states(const TensorType& parameter) const {
  return {same_as(parameter, "sum")};
}

Work Adagrad::update_work(const TensorType& parameter) const {
  return update_cost(*this, parameter, options_.weight_decay != 0 ? 9 : 7);
}

}  // namespace headroom::optim
