#pragma once

#include "core/runtime/cpu/widened_matmul.h"
#include "core/runtime/device.h"
#include "core/runtime/jobs.h"
#include "core/runtime/rows/host_rows.h"

#include <omp.h>

#include <atomic>

namespace headroom::runtime {

/// How matrix products are cut for the threads. Every panel is one single-threaded product.
struct CpuThreading {
  int threads = 1;
  bool strict = false;  ///< a fixed number of panels, so that the thread count changes no bit
};

/// What a job computes with: the thread it runs on, and no other.
class CpuThread {
 public:
  CpuThread(WidenedMatmul& widened, int number) : widened_(widened), number_(number) {}
  void matmul(const Matmul& product);
  template <class Program>
  void rows(const Program& program, std::int64_t count) const {
    runtime::rows::run_rows_serially(program, count);
  }

 private:
  WidenedMatmul& widened_;
  int number_;
};

/// While it lives, products computed outside parallel regions use the calling thread only: OpenBLAS
/// would otherwise start threads of its own, and cut a product as it likes.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// The queue of the CPU: everything has run when the call returns.
class CpuBackend final : public Queue {
 public:
  explicit CpuBackend(CpuThreading threading)
      : threading_(threading), widened_(threading.threads) {}
  void matmul(const Matmul& product) override;
  void copy(void* to, const void* from, Bytes size) override;
  /// Runs `program(team, row)` for every row in [0, count).
  template <class Program>
  void rows(const Program& program, std::int64_t count) {
    runtime::rows::run_rows_host(program, count);
  }
  /// Runs the jobs of a grid, see core/runtime/jobs.h; the body gets a CpuThread.
  template <class Body>
  void jobs(const JobGrid& grid, const Body& body) {
    const std::int64_t count = grid.outer * grid.inner;
    if (size_of(grid.dtype) < 4) widened_.prepare();
    // Neighbours in order share what does not depend on `outer`, such as a head's keys.
    const auto run = [&](std::int64_t job, int slot) {
      CpuThread thread(widened_, slot);
      body(thread, JobBlock{.outer = job % grid.outer, .first = job / grid.outer, .slot = slot});
    };
    if (count == 1 || threading_.threads == 1 || grid.multiply_adds < kParallelMultiplyAdds) {
      const OneThread alone;
      for (std::int64_t job = 0; job < count; ++job) run(job, 0);
      return;
    }
    std::atomic<std::int64_t> next{0};
    // All threads take part in the region, since a smaller one would end the others.
#pragma omp parallel num_threads(threading_.threads)
    {
      const int slot = omp_get_thread_num();
      if (slot < grid.slots) {
        for (std::int64_t job = next++; job < count; job = next++) run(job, slot);
      }
    }
  }
  [[nodiscard]] const CpuThreading& threading() const { return threading_; }
  /// What products of 16-bit operands keep for widening them.
  [[nodiscard]] Bytes widening_buffers() const { return Bytes(widened_.bytes()); }

 private:
  static constexpr double kParallelMultiplyAdds = 1 << 18;

  CpuThreading threading_;
  WidenedMatmul widened_;
};

}  // namespace headroom::runtime
