#pragma once

#include "core/describe/dtype.h"

#include <cstdint>
#include <optional>

namespace headroom::runtime {

/// One (batched) matrix product on row-major operands:
///   C (m,n) = op(A) (m,k) x op(B) (k,n) + beta * C [+ bias (n) added to every row]
/// `transpose_a` says that A is stored (k,m); likewise B (n,k). Leading dimensions count elements
/// per stored row. `stride_*` separate the matrices of a batch.
/// Operands and result have `dtype`, f64, f32, bf16 or f16; the result of 16-bit operands may be
/// f32 instead. Sums are kept in f32 (f64 for f64 operands) and rounded once.
struct Matmul {
  DType dtype = DType::kF32;
  std::optional<DType> c_dtype;  ///< of the result where it is not `dtype`
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  std::int64_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;
  bool accumulate = false;     ///< beta: false = overwrite, true = add to C
  const void* bias = nullptr;  ///< n values of the result's dtype, or none

  [[nodiscard]] DType result() const { return c_dtype.value_or(dtype); }
};

}  // namespace headroom::runtime
