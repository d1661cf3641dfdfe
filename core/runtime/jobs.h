#pragma once

#include "core/describe/dtype.h"

#include <algorithm>
#include <cstdint>

namespace headroom::runtime {

/// Independent pieces of work, `outer` x `inner` of them, that together may use `slots` pieces of
/// scratch. Run by `backend.jobs(grid, body)`, which calls `body(queue, block)` until every job has
/// been in one block. What a job computes must not depend on its slot, nor on which jobs are
/// with it.
///
/// A CPU gives each thread one slot and one job at a time, computed by that thread alone. A GPU,
/// whose kernels want much to do at once, gets blocks of up to `slots` neighbours along `inner`,
/// one after another; the body issues them as batched products and as rows of one program.
struct JobGrid {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::int64_t slots = 1;
  DType dtype = DType::kF32;  ///< of the products in the jobs
  double multiply_adds = 0;   ///< of all jobs: too few are not worth waking threads for
};

/// Jobs (outer, first), ..., (outer, first + count - 1); job first + i has slot number slot + i.
struct JobBlock {
  std::int64_t outer = 0;
  std::int64_t first = 0;
  std::int64_t count = 1;
  std::int64_t slot = 0;
};

/// The jobs of a device that is kept busy by its kernels: blocks as large as the slots allow.
template <class Queue, class Body>
void run_jobs_in_blocks(Queue& queue, const JobGrid& grid, const Body& body) {
  for (std::int64_t outer = 0; outer < grid.outer; ++outer) {
    for (std::int64_t first = 0; first < grid.inner; first += grid.slots) {
      body(queue,
           JobBlock{
               .outer = outer, .first = first, .count = std::min(grid.slots, grid.inner - first)});
    }
  }
}

}  // namespace headroom::runtime
