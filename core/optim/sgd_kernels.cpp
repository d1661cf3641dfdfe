#include "core/optim/kernels.h"
#include "core/optim/sgd.h"
#include "core/optim/update_rows.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

template <class A>
struct PlainElement {
  A lr, weight_decay;
  HEADROOM_HD void operator()(A g, A& p) const { p -= lr * (g + weight_decay * p); }
};

template <class A, bool kNesterov>
struct MomentumElement {
  A lr, weight_decay, momentum, fresh;  ///< `fresh` is the share of the new gradient
  HEADROOM_HD void operator()(A g, A& p, A& v) const {
    const A d = g + weight_decay * p;
    v = momentum * v + fresh * d;
    p -= lr * (kNesterov ? d + momentum * v : v);
  }
};

template <bool kNesterov>
void run_momentum(KernelContext& context) {
  const Sgd::Options& options = context.op<Sgd>().options();
  // PyTorch starts the buffer with the first gradient, undampened.
  const double fresh = context.scalars().step == 1 ? 1 : 1 - options.dampening;
  update<1>(context, [&]<class A>() {
    return MomentumElement<A, kNesterov>{static_cast<A>(context.scalars().learning_rate),
                                         static_cast<A>(options.weight_decay),
                                         static_cast<A>(options.momentum), static_cast<A>(fresh)};
  });
}

void run_sgd(KernelContext& context) {
  const Sgd::Options& options = context.op<Sgd>().options();
  if (options.momentum == 0) {
    update<0>(context, [&]<class A>() {
      return PlainElement<A>{static_cast<A>(context.scalars().learning_rate),
                             static_cast<A>(options.weight_decay)};
    });
  } else if (options.nesterov) {
    run_momentum<true>(context);
  } else {
    run_momentum<false>(context);
  }
}

}  // namespace

void register_sgd(runtime::KernelTable& table) { table.add(Sgd::kName, Pass::kUpdate, run_sgd); }

}  // namespace headroom::optim::HEADROOM_KERNELS
