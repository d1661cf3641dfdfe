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

template <class T>
void run(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Sgd::Options& options = context.op<Sgd>().options();
  const A lr = static_cast<A>(context.scalars().learning_rate);
  const A weight_decay = static_cast<A>(options.weight_decay);
  if (options.momentum == 0) {
    update<T, 0>(context, PlainElement<A>{lr, weight_decay});
    return;
  }
  const A momentum = static_cast<A>(options.momentum);
  // PyTorch starts the buffer with the first gradient, undampened.
  const bool first = context.scalars().step == 1;
  const A fresh = first ? A(1) : static_cast<A>(1 - options.dampening);
  if (options.nesterov) {
    update<T, 1>(context, MomentumElement<A, true>{lr, weight_decay, momentum, fresh});
  } else {
    update<T, 1>(context, MomentumElement<A, false>{lr, weight_decay, momentum, fresh});
  }
}

void run_sgd(KernelContext& context) {
  runtime::with_float_type(context.write_type(0).dtype, [&]<class T>() { run<T>(context); });
}

}  // namespace

void register_sgd(runtime::KernelTable& table) { table.add(Sgd::kName, Pass::kUpdate, run_sgd); }

}  // namespace headroom::optim::HEADROOM_KERNELS
