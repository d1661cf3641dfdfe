#include "core/optim/adagrad.h"
#include "core/optim/kernels.h"
#include "core/optim/update_rows.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

template <class A, bool kEpsInsideRoot>
struct AdagradElement {
  A lr, weight_decay, eps;
  HEADROOM_HD void operator()(A g, A& p, A& sum) const {
    const A d = g + weight_decay * p;
    sum += d * d;
    const A root = kEpsInsideRoot ? rows::sqrt(sum + eps) : rows::sqrt(sum) + eps;
    p -= lr * d / root;
  }
};

template <class T>
void run(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Adagrad::Options& options = context.op<Adagrad>().options();
  const A lr = static_cast<A>(context.scalars().learning_rate);
  const A weight_decay = static_cast<A>(options.weight_decay);
  const A eps = static_cast<A>(options.eps);
  if (options.eps_inside_root) {
    update<T, 1>(context, AdagradElement<A, true>{lr, weight_decay, eps});
  } else {
    update<T, 1>(context, AdagradElement<A, false>{lr, weight_decay, eps});
  }
}

void run_adagrad(KernelContext& context) {
  runtime::with_float_type(context.write_type(0).dtype, [&]<class T>() { run<T>(context); });
}

}  // namespace

void register_adagrad(runtime::KernelTable& table) {
  table.add(Adagrad::kName, Pass::kUpdate, run_adagrad);
}

}  // namespace headroom::optim::HEADROOM_KERNELS
