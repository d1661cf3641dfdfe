#pragma once

#include "core/runtime/backend.h"
#include "core/runtime/kernel_table.h"

namespace headroom::ops::HEADROOM_KERNELS {

/// Each adds the kernels of one op, compiled for the backend at hand.
void register_activation(runtime::KernelTable& table);
void register_cast(runtime::KernelTable& table);
void register_attention(runtime::KernelTable& table);
void register_cross_entropy(runtime::KernelTable& table);
void register_dropout(runtime::KernelTable& table);
void register_einsum(runtime::KernelTable& table);
void register_elementwise(runtime::KernelTable& table);
void register_head_cross_entropy(runtime::KernelTable& table);
void register_embedding(runtime::KernelTable& table);
void register_layer_norm(runtime::KernelTable& table);
void register_linear(runtime::KernelTable& table);
void register_mse(runtime::KernelTable& table);
void register_reduce(runtime::KernelTable& table);
void register_rms_norm(runtime::KernelTable& table);
void register_swiglu(runtime::KernelTable& table);
void register_rope(runtime::KernelTable& table);

}  // namespace headroom::ops::HEADROOM_KERNELS
