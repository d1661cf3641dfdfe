#include "core/optim/adam.h"
#include "core/optim/adam_element.h"
#include "core/optim/kernels.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

template <class T>
void run(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Adam::Options& options = context.op<Adam>().options();
  AdamElement<A> element = adam_element<A>(options, context.scalars());
  element.l2 = static_cast<A>(options.weight_decay);
  update<T, 2>(context, element);
}

void run_adam(KernelContext& context) {
  runtime::with_float_type(context.write_type(0).dtype, [&]<class T>() { run<T>(context); });
}

}  // namespace

void register_adam(runtime::KernelTable& table) { table.add(Adam::kName, Pass::kUpdate, run_adam); }

}  // namespace headroom::optim::HEADROOM_KERNELS
