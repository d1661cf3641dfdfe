#pragma once

#include "core/runtime/matmul.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headroom::runtime {

/// Part of one matrix of a batch: rows [m0, m1) and columns [n0, n1) of the result.
struct MatmulPanel {
  std::int64_t index, m0, m1, n0, n1;
};

/// Products of 16-bit operands on processors that multiply f32 only: blocks of both operands are
/// widened into a scratch buffer, multiplied by sgemm, and the sum is rounded once. What is stored
/// is 16 bits wide; what is added up is not.
class WidenedMatmul {
 public:
  explicit WidenedMatmul(int threads) : buffers_(static_cast<std::size_t>(threads)) {}

  /// Makes the buffers if this is the first product of its kind.
  void prepare();
  /// Threads: each calls with its own number, from 0 on.
  template <class T>
  void panel(const Matmul& product, const MatmulPanel& panel, int thread);

  /// Bytes of all buffers; 0 before the first product.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  std::vector<std::unique_ptr<float[]>> buffers_;
};

}  // namespace headroom::runtime
