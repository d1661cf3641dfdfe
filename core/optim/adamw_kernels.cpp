#include "core/optim/adam_element.h"
#include "core/optim/adamw.h"
#include "core/optim/kernels.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

void run_adamw(KernelContext& context) {
  const Adamw& rule = context.op<Adamw>();
  const double decay = rule.decay_of(context.write_type(0));
  update<2>(context, [&]<class A>() {
    AdamElement<A> element = adam_element<A>(rule.options(), context.scalars());
    element.shrink = static_cast<A>(1 - context.scalars().learning_rate * decay);
    return element;
  });
}

}  // namespace

void register_adamw(runtime::KernelTable& table) {
  table.add(Adamw::kName, Pass::kUpdate, run_adamw);
}

}  // namespace headroom::optim::HEADROOM_KERNELS
