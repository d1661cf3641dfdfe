#include "core/runtime/cuda/cuda_handles.h"

#include "core/runtime/cuda/cuda_error.h"

namespace headroom::runtime {

CudaStream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return CudaStream(stream);
}

CudaEvent make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return CudaEvent(event);
}

PinnedMemory make_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "cudaHostAlloc");
  return PinnedMemory(static_cast<std::byte*>(memory));
}

DeviceBuffer make_device_buffer(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return DeviceBuffer(memory);
}

}  // namespace headroom::runtime
