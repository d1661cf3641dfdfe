#include "core/optim/rules.h"

#include "core/describe/error.h"
#include "core/optim/adagrad.h"
#include "core/optim/adam.h"
#include "core/optim/adamw.h"
#include "core/optim/rmsprop.h"
#include "core/optim/sgd.h"

namespace headroom::optim {

std::unique_ptr<UpdateRule> make_rule(const OptimizerPlan& plan) {
  switch (plan.name) {
    case OptimizerKind::kSgd:
      return std::make_unique<Sgd>(Sgd::Options{.momentum = plan.momentum,
                                                .dampening = plan.dampening,
                                                .weight_decay = plan.weight_decay,
                                                .nesterov = plan.nesterov});
    case OptimizerKind::kAdagrad:
      return std::make_unique<Adagrad>(Adagrad::Options{.eps = plan.eps,
                                                        .eps_inside_root = plan.eps_inside_root,
                                                        .weight_decay = plan.weight_decay});
    case OptimizerKind::kRmsprop:
      return std::make_unique<Rmsprop>(Rmsprop::Options{.alpha = plan.alpha,
                                                        .eps = plan.eps,
                                                        .momentum = plan.momentum,
                                                        .centered = plan.centered,
                                                        .weight_decay = plan.weight_decay});
    case OptimizerKind::kAdam:
      return std::make_unique<Adam>(Adam::Options{.beta1 = plan.beta1,
                                                  .beta2 = plan.beta2,
                                                  .eps = plan.eps,
                                                  .weight_decay = plan.weight_decay});
    case OptimizerKind::kAdamw:
      return std::make_unique<Adamw>(Adamw::Options{.beta1 = plan.beta1,
                                                    .beta2 = plan.beta2,
                                                    .eps = plan.eps,
                                                    .weight_decay = plan.weight_decay,
                                                    .decay_vectors = plan.decay_vectors});
  }
  throw Error("unknown optimizer");
}

}  // namespace headroom::optim
