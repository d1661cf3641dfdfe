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

template <bool kEpsInsideRoot>
void run_form(KernelContext& context) {
  const Adagrad::Options& options = context.op<Adagrad>().options();
  update<1>(context, [&]<class A>() {
    return AdagradElement<A, kEpsInsideRoot>{static_cast<A>(context.scalars().learning_rate),
                                             static_cast<A>(options.weight_decay),
                                             static_cast<A>(options.eps)};
  });
}

void run_adagrad(KernelContext& context) {
  context.op<Adagrad>().options().eps_inside_root ? run_form<true>(context)
                                                  : run_form<false>(context);
}

}  // namespace

void register_adagrad(runtime::KernelTable& table) {
  table.add(Adagrad::kName, Pass::kUpdate, run_adagrad);
}

}  // namespace headroom::optim::HEADROOM_KERNELS
