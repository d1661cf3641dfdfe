#include "core/optim/adam_element.h"
#include "core/optim/adamw.h"
#include "core/optim/kernels.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

void run_adamw(KernelContext& context) {
  const Adamw::Options& options = context.op<Adamw>().options();
  update<2>(context, [&]<class A>() {
    AdamElement<A> element = adam_element<A>(options, context.scalars());
    element.shrink = static_cast<A>(1 - context.scalars().learning_rate * options.weight_decay);
    return element;
  });
}

}  // namespace

void register_adamw(runtime::KernelTable& table) {
  table.add(Adamw::kName, Pass::kUpdate, run_adamw);
}

}  // namespace headroom::optim::HEADROOM_KERNELS
