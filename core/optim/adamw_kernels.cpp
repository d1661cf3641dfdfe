#include "core/optim/adam_element.h"
#include "core/optim/adamw.h"
#include "core/optim/kernels.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

template <class T>
void run(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const Adamw::Options& options = context.op<Adamw>().options();
  AdamElement<A> element = adam_element<A>(options, context.scalars());
  element.shrink = static_cast<A>(1 - context.scalars().learning_rate * options.weight_decay);
  update<T, 2>(context, element);
}

void run_adamw(KernelContext& context) {
  runtime::with_float_type(context.write_type(0).dtype, [&]<class T>() { run<T>(context); });
}

}  // namespace

void register_adamw(runtime::KernelTable& table) {
  table.add(Adamw::kName, Pass::kUpdate, run_adamw);
}

}  // namespace headroom::optim::HEADROOM_KERNELS
