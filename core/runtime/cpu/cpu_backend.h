#pragma once

#include "core/runtime/cpu/widened_matmul.h"
#include "core/runtime/device.h"
#include "core/runtime/rows/host_rows.h"

namespace headroom::runtime {

/// How matrix products are cut for the threads. Every panel is one single-threaded product.
struct CpuThreading {
  int threads = 1;
  bool strict = false;  ///< a fixed number of panels, so that the thread count changes no bit
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
  [[nodiscard]] const CpuThreading& threading() const { return threading_; }
  /// What products of 16-bit operands keep for widening them.
  [[nodiscard]] Bytes widening_buffers() const { return Bytes(widened_.bytes()); }

 private:
  CpuThreading threading_;
  WidenedMatmul widened_;
};

}  // namespace headroom::runtime
