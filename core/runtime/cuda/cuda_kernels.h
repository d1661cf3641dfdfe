#pragma once

#include "core/runtime/cuda/cuda_queue.h"
#include "core/runtime/kernel_table.h"

#include <cuda_runtime_api.h>

#include <memory>

namespace headroom::runtime {

/// All kernels, compiled for GPUs.
[[nodiscard]] KernelTable cuda_kernels();

/// The queue that these kernels expect (a CudaBackend).
[[nodiscard]] std::unique_ptr<CudaQueue> make_cuda_backend(cudaStream_t stream);

/// Whether the present GPU can run them: cudaSuccess, or cudaErrorNoKernelImageForDevice and the
/// like when this build has no code for its architecture.
[[nodiscard]] cudaError_t probe_kernel_image();

}  // namespace headroom::runtime
