#include "core/runtime/cpu/cpu_kernels.h"

#include "core/ops/kernels.h"

namespace headroom::runtime {

KernelTable cpu_kernels() {
  KernelTable table;
  ops::cpu_kernels::register_activation(table);
  ops::cpu_kernels::register_linear(table);
  ops::cpu_kernels::register_mse(table);
  return table;
}

}  // namespace headroom::runtime
