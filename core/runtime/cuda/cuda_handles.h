#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace headroom::runtime {

namespace cuda_handles {
struct DestroyStream {
  void operator()(CUstream_st* stream) const { cudaStreamDestroy(stream); }
};
struct DestroyEvent {
  void operator()(CUevent_st* event) const { cudaEventDestroy(event); }
};
struct FreePinned {
  void operator()(std::byte* memory) const { cudaFreeHost(memory); }
};
struct FreeDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
}  // namespace cuda_handles

using CudaStream = std::unique_ptr<CUstream_st, cuda_handles::DestroyStream>;
using CudaEvent = std::unique_ptr<CUevent_st, cuda_handles::DestroyEvent>;
using PinnedMemory = std::unique_ptr<std::byte[], cuda_handles::FreePinned>;
using DeviceBuffer = std::unique_ptr<void, cuda_handles::FreeDevice>;

/// A stream that does not wait for the default stream, nor that one for it.
[[nodiscard]] CudaStream make_stream();
/// An event for ordering; it cannot be timed, which makes it cheaper.
[[nodiscard]] CudaEvent make_event();
[[nodiscard]] PinnedMemory make_pinned(std::size_t bytes);
[[nodiscard]] DeviceBuffer make_device_buffer(std::size_t bytes);

}  // namespace headroom::runtime
