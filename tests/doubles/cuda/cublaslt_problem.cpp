#include "tests/doubles/cuda/cublaslt_problem.h"

#include "tests/doubles/cuda/cublaslt_types.h"

#include <limits>
#include <tuple>
#include <utility>

namespace headroom::cuda_double {
namespace {

std::string shape_text(const Matrix& matrix) {
  return std::to_string(matrix.rows) + "x" + std::to_string(matrix.cols);
}

Refusal invalid(std::string why) { return {CUBLAS_STATUS_INVALID_VALUE, std::move(why)}; }
Refusal unsupported(std::string why) { return {CUBLAS_STATUS_NOT_SUPPORTED, std::move(why)}; }

Refusal read_layout(const char* name, const LayoutData* layout, Matrix& matrix) {
  const std::string prefix = std::string(name) + ": ";
  if (layout == nullptr) return invalid(prefix + "null or destroyed layout");
  matrix.type = static_cast<cudaDataType_t>(layout->type);
  matrix.element_bytes = bytes_of(matrix.type);
  if (!known_type(matrix.type)) return unsupported(prefix + name_of(matrix.type));
  if (layout->order != CUBLASLT_ORDER_COL && layout->order != CUBLASLT_ORDER_ROW) {
    return unsupported(prefix + "order is neither column-major nor row-major");
  }
  if (layout->batch_mode != CUBLASLT_BATCH_MODE_STRIDED || layout->plane_offset != 0) {
    return unsupported(prefix + "pointer-array batches and planar layouts are not modelled");
  }
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int32_t>::max();
  if (layout->rows == 0 || layout->cols == 0 || layout->rows > kLargest ||
      layout->cols > kLargest) {
    return invalid(prefix + "rows and columns must be from 1 to 2^31 - 1");
  }
  if (layout->batch < 1) return invalid(prefix + "the batch count must be at least 1");
  matrix.row_major = layout->order == CUBLASLT_ORDER_ROW;
  matrix.rows = layout->rows;
  matrix.cols = layout->cols;
  if (layout->ld < static_cast<std::int64_t>(matrix.line())) {
    return invalid(prefix + "leading dimension " + std::to_string(layout->ld) + " is less than " +
                   std::to_string(matrix.line()) + (matrix.row_major ? " columns" : " rows"));
  }
  if (layout->stride < 0) return unsupported(prefix + "negative batch stride");
  matrix.ld = static_cast<std::size_t>(layout->ld);
  matrix.batch = static_cast<std::size_t>(layout->batch);
  matrix.stride = static_cast<std::size_t>(layout->stride);
  return {};
}

Refusal check_operation(const MatmulData& op, Problem& problem) {
  for (const std::int32_t transposition : {op.trans_a, op.trans_b}) {
    if (transposition != CUBLAS_OP_N && transposition != CUBLAS_OP_T) {
      return unsupported("operations on A and B must be N or T");
    }
  }
  if (op.trans_c != CUBLAS_OP_N || op.fill != CUBLAS_FILL_MODE_FULL) {
    return unsupported("C must not be transposed and all of D must be filled");
  }
  if (op.pointer_mode != CUBLASLT_POINTER_MODE_HOST &&
      op.pointer_mode != CUBLASLT_POINTER_MODE_DEVICE) {
    return unsupported("alpha and beta must be single values, on the host or on the device");
  }
  problem.trans_a = op.trans_a == CUBLAS_OP_T;
  problem.trans_b = op.trans_b == CUBLAS_OP_T;
  problem.device_scalars = op.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE;
  return {};
}

Refusal check_shapes(Problem& problem) {
  const auto& [a, b, c, d] = std::tie(problem.a, problem.b, problem.c, problem.d);
  problem.m = d.rows;
  problem.n = d.cols;
  problem.k = problem.trans_a ? a.rows : a.cols;
  const std::size_t a_rows = problem.trans_a ? a.cols : a.rows;
  const std::size_t b_rows = problem.trans_b ? b.cols : b.rows;
  const std::size_t b_cols = problem.trans_b ? b.rows : b.cols;
  if (a_rows != problem.m || b_cols != problem.n || b_rows != problem.k) {
    return invalid("shapes do not multiply: op(A) " + std::to_string(a_rows) + "x" +
                   std::to_string(problem.k) + ", op(B) " + std::to_string(b_rows) + "x" +
                   std::to_string(b_cols) + ", D " + shape_text(d));
  }
  if (c.rows != d.rows || c.cols != d.cols) {
    return invalid("C is " + shape_text(c) + " and D is " + shape_text(d));
  }
  if (c.type != d.type || c.row_major != d.row_major) {
    return invalid("C and D must have the same type and order");
  }
  if (a.batch != d.batch || b.batch != d.batch || c.batch != d.batch) {
    return invalid("the batch counts of A, B, C and D differ");
  }
  if (!d.batch_is_disjoint()) {
    return invalid("the matrices of D's batch overlap: batch stride " + std::to_string(d.stride) +
                   ", leading dimension " + std::to_string(d.ld) + ", shape " + shape_text(d));
  }
  return {};
}

}  // namespace

std::size_t Matrix::span_bytes() const {
  return ((batch - 1) * stride + (lines() - 1) * ld + line()) * element_bytes;
}

Extent Matrix::extent(const void* base) const {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const std::size_t interleaved = (batch - 1) * stride + line();
  if (interleaved <= ld) {
    return {address, interleaved * element_bytes, ld * element_bytes, lines()};
  }
  if (batch > 1 && stride == lines() * ld) {
    // The batch goes on where the matrix before it ends: the same pieces, line after line.
    return {address, line() * element_bytes, ld * element_bytes, batch * lines()};
  }
  const std::size_t one = (lines() - 1) * ld + line();
  if (batch > 1 && stride > one) {
    // Matrices with room for something else between them.
    return {address, one * element_bytes, stride * element_bytes, batch};
  }
  return contiguous(base, span_bytes());
}

bool Matrix::batch_is_disjoint() const {
  if (batch == 1) return true;
  const bool one_after_another = stride >= (lines() - 1) * ld + line();
  const bool interleaved = stride >= line() && (batch - 1) * stride + line() <= ld;
  return one_after_another || interleaved;
}

std::uint64_t Problem::hash() const {
  std::uint64_t value = 14695981039346656037ULL;  // FNV-1a
  const auto mix = [&](std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) {
      value ^= (word >> shift) & 0xFF;
      value *= 1099511628211ULL;
    }
  };
  mix(static_cast<std::uint64_t>(compute));
  mix(trans_a);
  mix(trans_b);
  mix(device_scalars);
  mix(epilogue_word);
  mix(static_cast<std::uint64_t>(bias_type));
  mix(static_cast<std::uint64_t>(aux_type));
  for (const Matrix& matrix : {a, b, c, d}) {
    mix(static_cast<std::uint64_t>(matrix.type));
    mix(matrix.row_major);
    mix(matrix.rows);
    mix(matrix.cols);
    mix(matrix.ld);
    mix(matrix.batch);
    mix(matrix.stride);
  }
  return value;
}

Refusal resolve(const Config& config,
                const MatmulData* op,
                const LayoutData* a,
                const LayoutData* b,
                const LayoutData* c,
                const LayoutData* d,
                Problem& problem) {
  if (op == nullptr) return invalid("null or destroyed operation descriptor");
  Refusal refusal = read_layout("A", a, problem.a);
  if (!refusal.refused()) refusal = read_layout("B", b, problem.b);
  if (!refusal.refused()) refusal = read_layout("C", c, problem.c);
  if (!refusal.refused()) refusal = read_layout("D", d, problem.d);
  if (!refusal.refused()) refusal = check_operation(*op, problem);
  if (!refusal.refused()) refusal = check_shapes(problem);
  if (!refusal.refused()) refusal = check_types(config, *op, problem);
  if (!refusal.refused()) refusal = check_epilogue(*op, problem);
  return refusal;
}

}  // namespace headroom::cuda_double
