#pragma once

#include "core/runtime/cuda/cuda_queue.h"
#include "core/runtime/rows/device_rows.cuh"

namespace headroom::runtime {

/// The queue of a GPU as kernels see it.
class CudaBackend final : public CudaQueue {
 public:
  using CudaQueue::CudaQueue;
  /// Runs `program(team, row)` for every row in [0, count), one block a row.
  template <class Program>
  void rows(const Program& program, std::int64_t count) {
    runtime::rows::launch_rows(stream(), program, count);
  }
};

}  // namespace headroom::runtime
