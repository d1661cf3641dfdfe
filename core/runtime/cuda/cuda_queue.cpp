#include "core/runtime/cuda/cuda_queue.h"

#include "core/runtime/cuda/cuda_error.h"

namespace headroom::runtime {

void CudaQueue::copy(void* to, const void* from, Bytes size) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size.value()), cudaMemcpyDeviceToDevice,
                        stream_),
        "cudaMemcpyAsync on the device");
}

}  // namespace headroom::runtime
