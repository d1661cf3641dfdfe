// The functions that nvcc's generated host code calls behind the scenes. Their declarations exist
// only inside nvcc's own translation units, so they are repeated here.
#include "tests/doubles/cuda/api.h"
#include "tests/doubles/cuda/launch.h"

#include <cuda_runtime_api.h>

#include <vector>

namespace headroom::cuda_double {
namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

std::vector<Configuration>& pending_configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

}  // namespace
}  // namespace headroom::cuda_double

using namespace headroom::cuda_double;  // NOLINT: the C functions below are the file's purpose

extern "C" {

void fakecuda_bind(const void* fn, void (*run)(void**, dim3, dim3), size_t param_bytes) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  rt.kernels.bind(fn, run, param_bytes);
}

int fakecuda_simulates_blocks() {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  return rt.config.simulate_blocks ? 1 : 0;
}

void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  return reinterpret_cast<void**>(rt.kernels.add_binary(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  rt.kernels.remove_binary(reinterpret_cast<FatBinary*>(handle));
}

void __cudaRegisterFunction(void** handle,
                            const char* stub,
                            char*,
                            const char* name,
                            int,
                            uint3*,
                            uint3*,
                            dim3*,
                            dim3*,
                            int*) {
  Runtime& rt = runtime();
  const std::lock_guard lock(rt.mutex);
  rt.kernels.add(stub, name, reinterpret_cast<FatBinary*>(handle));
}

// Host versions read the host shadow of a __constant__ or __device__ variable, so nothing is kept.
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

char __cudaInitModule(void**) { return 1; }

unsigned __cudaPushCallConfiguration(dim3 grid,
                                     dim3 block,
                                     size_t shared_bytes,
                                     CUstream_st* stream) {
  pending_configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid,
                                       dim3* block,
                                       size_t* shared_bytes,
                                       void* stream) {
  auto& stack = pending_configurations();
  if (stack.empty()) return remember(cudaErrorMissingConfiguration);
  const Configuration configuration = stack.back();
  stack.pop_back();
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}

// A kernel's handle is the address of its stub.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(stub));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel,
                               dim3 grid,
                               dim3 block,
                               void** args,
                               size_t shared_bytes,
                               cudaStream_t stream) {
  return device_call("kernel launch", [&](const Call& call) {
    return launch(call, kernel, {grid, block, shared_bytes, stream}, args);
  });
}

}  // extern "C"
