#pragma once

#include "tests/doubles/cuda/config.h"
#include "tests/doubles/cuda/cublaslt_descriptors.h"
#include "tests/doubles/cuda/races.h"

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace headroom::cuda_double {

/// One matrix of a matmul, batch included.
struct Matrix {
  cudaDataType_t type = CUDA_R_32F;
  std::size_t element_bytes = 4;
  bool row_major = false;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t ld = 0;
  std::size_t batch = 1;
  std::size_t stride = 0;  ///< elements between the matrices of a batch

  /// Length and number of its contiguous pieces: columns, or rows when row-major.
  [[nodiscard]] std::size_t line() const { return row_major ? cols : rows; }
  [[nodiscard]] std::size_t lines() const { return row_major ? rows : cols; }
  /// Bytes from the first element to the last, over the whole batch.
  [[nodiscard]] std::size_t span_bytes() const;
  /// The bytes touched from `base` on; interleaved batches count as one set of longer pieces.
  [[nodiscard]] Extent extent(const void* base) const;
  /// Whether no two matrices of the batch share an element.
  [[nodiscard]] bool batch_is_disjoint() const;
};

/// The parts of an epilogue.
struct Epilogue {
  bool bias = false;  ///< add a bias for each row of D
  bool relu = false;
  bool gelu = false;
  bool write_aux = false;  ///< keep what the activation saw
  bool d_relu = false;
  bool d_gelu = false;
  bool bias_gradient = false;  ///< row sums of D
  bool bias_gradient_a = false;
  bool bias_gradient_b = false;

  [[nodiscard]] bool reads_aux() const { return d_relu || d_gelu; }
  [[nodiscard]] bool uses_aux() const { return write_aux || reads_aux(); }
  [[nodiscard]] bool writes_bias() const {
    return bias_gradient || bias_gradient_a || bias_gradient_b;
  }
  [[nodiscard]] bool uses_bias() const { return bias || writes_bias(); }
};

/// D = epilogue(alpha op(A) op(B) + beta C), everything checked that needs no pointer.
struct Problem {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  bool double_precision = false;
  bool trans_a = false;
  bool trans_b = false;
  bool device_scalars = false;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  Matrix a;
  Matrix b;
  Matrix c;
  Matrix d;
  Epilogue epilogue;
  std::uint32_t epilogue_word = 0;
  cudaDataType_t bias_type = CUDA_R_32F;
  cudaDataType_t aux_type = CUDA_R_32F;

  [[nodiscard]] std::size_t bias_length() const { return epilogue.bias_gradient_b ? n : m; }
  /// Same for two problems that one algorithm may run.
  [[nodiscard]] std::uint64_t hash() const;
};

/// Why something is refused; success when `status` says so.
struct Refusal {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  std::string why;

  [[nodiscard]] bool refused() const { return status != CUBLAS_STATUS_SUCCESS; }
};

/// Turns descriptors into a problem, or refuses them.
Refusal resolve(const Config& config,
                const MatmulData* op,
                const LayoutData* a,
                const LayoutData* b,
                const LayoutData* c,
                const LayoutData* d,
                Problem& problem);

/// Data, compute and scale types, architecture and epilogue, by NVIDIA's tables of supported
/// combinations (cuBLAS documentation, cublasLtMatmul()).
Refusal check_types(const Config& config, const MatmulData& op, Problem& problem);
Refusal check_epilogue(const MatmulData& op, Problem& problem);

}  // namespace headroom::cuda_double
