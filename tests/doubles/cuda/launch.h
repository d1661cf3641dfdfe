#pragma once

#include "tests/doubles/cuda/api.h"

namespace headroom::cuda_double {

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// The kernel of a stub, if this device can run it; fails like a launch does.
cudaError_t find_kernel(const Call& call, const void* stub, Kernel*& kernel);

/// Checks a launch and queues the kernel's host version with a copy of its parameter.
cudaError_t launch(const Call& call, const void* stub, const LaunchConfig& config, void** args);

}  // namespace headroom::cuda_double
