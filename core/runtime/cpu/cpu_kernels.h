#pragma once

#include "core/runtime/kernel_table.h"

namespace headroom::runtime {

/// All kernels, compiled for the CPU.
[[nodiscard]] KernelTable cpu_kernels();

}  // namespace headroom::runtime
