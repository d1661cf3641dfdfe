#pragma once

/// The backend that kernels are being compiled for. Every *_kernels.cpp in core/ops and core/optim
/// is compiled once by the C++ compiler for the CPU and once by nvcc for CUDA; the macro names an
/// inline namespace, so that both versions can live in one program.
#if defined(__CUDACC__)
#include "core/runtime/cuda/cuda_backend.cuh"
#define HEADROOM_KERNELS cuda_kernels
namespace headroom::runtime {
using Backend = CudaBackend;
}
#elif defined(HEADROOM_TEST_BACKEND)
// Tests compile the kernels once more, for a backend of their own: this names its header.
#include HEADROOM_TEST_BACKEND
#define HEADROOM_KERNELS test_kernels
namespace headroom::runtime {
using Backend = TestBackend;
}
#else
#include "core/runtime/cpu/cpu_backend.h"
#define HEADROOM_KERNELS cpu_kernels
namespace headroom::runtime {
using Backend = CpuBackend;
}
#endif

#include "core/runtime/kernel_context.h"

namespace headroom::runtime {

[[nodiscard]] inline Backend& backend(const KernelContext& context) {
  return context.backend<Backend>();
}

}  // namespace headroom::runtime
