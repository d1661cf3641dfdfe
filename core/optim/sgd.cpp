#include "core/optim/sgd.h"

#include "core/describe/error.h"
#include "core/optim/update_cost.h"

namespace headroom::optim {

Sgd::Sgd(Options options) : options_(options) {
  if (options.nesterov && (options.momentum == 0 || options.dampening != 0)) {
    throw Error("sgd: nesterov needs momentum above 0 and no dampening");
  }
}

StateSpecs Sgd::states(const TensorType& parameter) const {
  if (options_.momentum == 0) return {};
  return {same_as(parameter, "momentum_buffer")};
}

Work Sgd::update_work(const TensorType& parameter) const {
  double flops = 2;
  if (options_.weight_decay != 0) flops += 2;
  if (options_.momentum != 0) flops += 2;
  if (options_.momentum != 0 && options_.dampening != 0) flops += 1;
  if (options_.nesterov) flops += 2;
  return update_cost(*this, parameter, flops);
}

}  // namespace headroom::optim
