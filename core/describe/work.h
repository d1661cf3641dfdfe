#pragma once

#include "core/describe/category.h"
#include "core/describe/dtype.h"
#include "core/describe/units.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace headroom {

/// Sizes of one (batched) matrix product: (M,K) x (K,N), `batch` times. All 0 when there is none.
struct MatmulSize {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  [[nodiscard]] bool empty() const { return m == 0; }
  [[nodiscard]] Flops flops() const {
    return Flops(2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
                 static_cast<double>(batch));
  }
  friend bool operator==(const MatmulSize&, const MatmulSize&) = default;
};

/// What one op call costs, whatever runs it. FLOPs count a multiply-add as 2.
struct Work {
  MatmulSize matmul{};          ///< the matrix product inside, if any
  Flops matmul_flops{};         ///< FLOPs done as matrix products (0 when `matmul` is empty)
  Flops other_flops{};          ///< elementwise and reduction FLOPs
  Bytes read{}, written{};      ///< payload moved if nothing stays in cache
  DType compute = DType::kF32;  ///< dtype the matrix product runs in
  bool again = false;           ///< forward work that backward does once more
  [[nodiscard]] Flops flops() const { return matmul_flops + other_flops; }
};

/// One line of the work list: an op call of a step, `repeat` times per step.
struct WorkItem {
  std::string_view op;
  Phase phase = Phase::kForward;
  Work work;
  std::int64_t repeat = 1;
  bool recompute = false;  ///< forward work done once more: no part of the model's FLOPs
};

using WorkList = std::vector<WorkItem>;

}  // namespace headroom
