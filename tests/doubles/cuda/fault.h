#pragma once

namespace headroom::cuda_double {

/// Installs the fault handler once, for the first allocation.
void ensure_fault_handler();

}  // namespace headroom::cuda_double
