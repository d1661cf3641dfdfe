#include "core/optim/kernels.h"
#include "core/optim/rmsprop.h"
#include "core/optim/update_rows.h"

namespace headroom::optim::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

/// The four forms differ in which states follow the running mean of squares.
template <class A, bool kCentered, bool kMomentum>
struct RmspropElement {
  A lr, weight_decay, alpha, fresh, eps, momentum;

  template <class... More>
  HEADROOM_HD void operator()(A g, A& p, A& square_avg, More&... more) const {
    const A d = g + weight_decay * p;
    square_avg = alpha * square_avg + fresh * d * d;
    step(d, p, square_avg, more...);
  }

 private:
  HEADROOM_HD void step(A d, A& p, A square_avg) const {
    p -= lr * d / (rows::sqrt(square_avg) + eps);
  }
  HEADROOM_HD void step(A d, A& p, A square_avg, A& second) const {
    if constexpr (kCentered) {
      p -= lr * d / centered_root(d, square_avg, second);
    } else {
      second = momentum * second + d / (rows::sqrt(square_avg) + eps);
      p -= lr * second;
    }
  }
  HEADROOM_HD void step(A d, A& p, A square_avg, A& grad_avg, A& momentum_buffer) const {
    momentum_buffer = momentum * momentum_buffer + d / centered_root(d, square_avg, grad_avg);
    p -= lr * momentum_buffer;
  }
  [[nodiscard]] HEADROOM_HD A centered_root(A d, A square_avg, A& grad_avg) const {
    grad_avg = alpha * grad_avg + fresh * d;
    // A variance; rounding may push one that should be 0 below it.
    const A variance = square_avg - grad_avg * grad_avg;
    return rows::sqrt(variance < A(0) ? A(0) : variance) + eps;
  }
};

template <bool kCentered, bool kMomentum>
void run_form(KernelContext& context) {
  const Rmsprop::Options& options = context.op<Rmsprop>().options();
  update<1 + (kCentered ? 1 : 0) + (kMomentum ? 1 : 0)>(context, [&]<class A>() {
    return RmspropElement<A, kCentered, kMomentum>{static_cast<A>(context.scalars().learning_rate),
                                                   static_cast<A>(options.weight_decay),
                                                   static_cast<A>(options.alpha),
                                                   static_cast<A>(1 - options.alpha),
                                                   static_cast<A>(options.eps),
                                                   static_cast<A>(options.momentum)};
  });
}

void run_rmsprop(KernelContext& context) {
  const Rmsprop::Options& options = context.op<Rmsprop>().options();
  const bool momentum = options.momentum != 0;
  if (options.centered) {
    momentum ? run_form<true, true>(context) : run_form<true, false>(context);
  } else {
    momentum ? run_form<false, true>(context) : run_form<false, false>(context);
  }
}

}  // namespace

void register_rmsprop(runtime::KernelTable& table) {
  table.add(Rmsprop::kName, Pass::kUpdate, run_rmsprop);
}

}  // namespace headroom::optim::HEADROOM_KERNELS
