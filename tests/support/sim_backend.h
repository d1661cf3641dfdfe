#pragma once

#include "core/runtime/device.h"
#include "core/runtime/jobs.h"
#include "core/runtime/rows/sim_team.h"

#include <cstring>

namespace headroom::runtime {

/// Runs row programs lane by lane as a GPU block would, and matrix products on another queue.
/// Kernels are compiled for it by defining HEADROOM_TEST_BACKEND as this header.
class TestBackend final : public Queue {
 public:
  static constexpr int kLanes = 64;

  TestBackend(Queue& products, bool forward) : products_(products), forward_(forward) {}
  void matmul(const Matmul& product) override { products_.matmul(product); }
  void copy(void* to, const void* from, Bytes size) override { products_.copy(to, from, size); }
  template <class Program>
  void rows(const Program& program, std::int64_t count) {
    if (forward_) {
      rows::SimTeam<kLanes, rows::LaneOrder::kForward>::run_rows(program, count);
    } else {
      rows::SimTeam<kLanes, rows::LaneOrder::kReverse>::run_rows(program, count);
    }
  }
  template <class Body>
  void jobs(const JobGrid& grid, const Body& body) {
    run_jobs_in_blocks(*this, grid, body);
  }

 private:
  Queue& products_;
  bool forward_;  ///< the order in which lanes run between barriers
};

}  // namespace headroom::runtime
