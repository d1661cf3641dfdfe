#pragma once

#include "core/runtime/cuda/cuda_matmul.h"
#include "core/runtime/device.h"

#include <cuda_runtime_api.h>

namespace headroom::runtime {

/// The queue of a GPU, without what only nvcc can compile: all work goes to one stream, in order,
/// and has not finished when a call returns.
/// Errors: CudaError when a call is refused; what fails on the GPU comes from a later call.
class CudaQueue : public Queue {
 public:
  /// The stream must outlive the queue.
  explicit CudaQueue(cudaStream_t stream) : stream_(stream) {}
  void matmul(const Matmul& product) override { products_.run(product, stream_); }
  void copy(void* to, const void* from, Bytes size) override;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  void set_matmul_workspace(void* memory, Bytes size) { products_.set_workspace(memory, size); }

 private:
  cudaStream_t stream_;
  CudaMatmul products_;
};

}  // namespace headroom::runtime
