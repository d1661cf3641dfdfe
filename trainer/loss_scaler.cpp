#include "trainer/loss_scaler.h"

#include "core/runtime/executor.h"

#include <string>

namespace headroom::trainer {

void LossScaler::update(bool overflowed, std::int64_t step) {
  if (overflowed) {
    state_.scale /= 2;
    state_.clean_steps = 0;
    ++state_.skipped_steps;
    // Below 1 the scale makes gradients smaller than they are: they are too large for f16.
    if (state_.scale < 1) {
      throw runtime::Diverged("the gradients of step " + std::to_string(step) +
                              " overflow f16 whatever the loss scale; the run has diverged (lower "
                              "training.optimizer.lr or use bf16-mixed)");
    }
    return;
  }
  if (++state_.clean_steps == kGrowthInterval) {
    state_.scale *= 2;
    state_.clean_steps = 0;
  }
}

}  // namespace headroom::trainer
