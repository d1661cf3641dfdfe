#pragma once

#include "core/runtime/cuda/cuda_queue.h"
#include "core/runtime/jobs.h"
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
  /// Runs the jobs of a grid, see core/runtime/jobs.h; the body gets this queue.
  template <class Body>
  void jobs(const JobGrid& grid, const Body& body) {
    run_jobs_in_blocks(*this, grid, body);
  }
};

}  // namespace headroom::runtime
