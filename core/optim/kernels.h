#pragma once

#include "core/runtime/backend.h"
#include "core/runtime/kernel_table.h"

namespace headroom::optim::HEADROOM_KERNELS {

/// Each adds the update kernel of one rule, compiled for the backend at hand.
void register_adagrad(runtime::KernelTable& table);
void register_adam(runtime::KernelTable& table);
void register_adamw(runtime::KernelTable& table);
void register_rmsprop(runtime::KernelTable& table);
void register_sgd(runtime::KernelTable& table);
/// The global gradient norm that clipping divides by.
void register_squared_norm(runtime::KernelTable& table);

}  // namespace headroom::optim::HEADROOM_KERNELS
