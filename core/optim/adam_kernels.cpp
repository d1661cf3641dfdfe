#include "core/optim/adam.h"
#include "core/optim/adam_element.h"
#include "core/optim/kernels.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

void run_adam(KernelContext& context) {
  const Adam::Options& options = context.op<Adam>().options();
  update<2>(context, [&]<class A>() {
    AdamElement<A> element = adam_element<A>(options, context.scalars());
    element.l2 = static_cast<A>(options.weight_decay);
    return element;
  });
}

}  // namespace

void register_adam(runtime::KernelTable& table) { table.add(Adam::kName, Pass::kUpdate, run_adam); }

}  // namespace headroom::optim::HEADROOM_KERNELS
