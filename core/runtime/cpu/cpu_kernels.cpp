#include "core/runtime/cpu/cpu_kernels.h"

#include "core/ops/kernels.h"
#include "core/optim/kernels.h"

namespace headroom::runtime {

KernelTable cpu_kernels() {
  KernelTable table;
  ops::cpu_kernels::register_activation(table);
  ops::cpu_kernels::register_cast(table);
  ops::cpu_kernels::register_attention(table);
  ops::cpu_kernels::register_cross_entropy(table);
  ops::cpu_kernels::register_dropout(table);
  ops::cpu_kernels::register_einsum(table);
  ops::cpu_kernels::register_elementwise(table);
  ops::cpu_kernels::register_head_cross_entropy(table);
  ops::cpu_kernels::register_embedding(table);
  ops::cpu_kernels::register_layer_norm(table);
  ops::cpu_kernels::register_linear(table);
  ops::cpu_kernels::register_mse(table);
  ops::cpu_kernels::register_reduce(table);
  ops::cpu_kernels::register_rms_norm(table);
  ops::cpu_kernels::register_swiglu(table);
  ops::cpu_kernels::register_rope(table);
  optim::cpu_kernels::register_adagrad(table);
  optim::cpu_kernels::register_adam(table);
  optim::cpu_kernels::register_adamw(table);
  optim::cpu_kernels::register_rmsprop(table);
  optim::cpu_kernels::register_sgd(table);
  optim::cpu_kernels::register_squared_norm(table);
  return table;
}

}  // namespace headroom::runtime
