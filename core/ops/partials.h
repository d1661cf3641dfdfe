#pragma once

#include "core/describe/tensor.h"

#include <cstdint>

namespace headroom::ops {

/// Sums over all rows (bias gradients, losses) go through this many partial sums, whatever the
/// thread count, so that the result does not depend on it.
inline constexpr std::int64_t kRowPartials = 16;

/// What losses, statistics and gradients of parameters are kept in, whatever the operands are
/// stored in: f64 for f64, otherwise f32.
[[nodiscard]] constexpr DType sum_dtype(DType dtype) {
  return dtype == DType::kF64 ? DType::kF64 : DType::kF32;
}

/// Bytes of one element of a partial sum.
[[nodiscard]] constexpr std::int64_t partial_element_size(DType dtype) {
  return sum_dtype(dtype) == DType::kF64 ? 8 : 4;
}

/// Workspace for summing rows of `columns` elements.
[[nodiscard]] inline Bytes column_sum_workspace(std::int64_t columns, DType dtype) {
  return Bytes(
      checked_multiply(kRowPartials * partial_element_size(dtype), columns, "partial sums"));
}

}  // namespace headroom::ops
