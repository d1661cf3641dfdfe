#pragma once

#include "core/describe/units.h"
#include "core/runtime/matmul.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>

namespace headroom::runtime {

/// Matrix products through cuBLASLt. What a product needs beside its pointers (descriptors and the
/// chosen algorithm) is made when its shape is first seen and kept, so that from the second step on
/// nothing is created. f32 products are computed in f32, not TF32; 16-bit ones with f32 sums.
/// Errors: CudaError; Error when cuBLASLt has no algorithm for a product.
class CudaMatmul {
 public:
  CudaMatmul();

  /// Scratch on the device for all products of one stream; its contents are lost. Algorithms are
  /// chosen anew, because they depend on its size.
  void set_workspace(void* memory, Bytes size);

  /// Issues the product on the stream. The operands are device memory, aligned as their type.
  void run(const Matmul& product, cudaStream_t stream);

 private:
  /// All that the choice of an algorithm depends on.
  struct Key {
    DType dtype, c_dtype;
    bool transpose_a, transpose_b, has_bias;
    std::int64_t m, n, k, lda, ldb, ldc, batch, stride_a, stride_b, stride_c;
    std::uint32_t align_a, align_b, align_c;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Plan {
    cublasLtMatmulDescOpaque_t product;
    cublasLtMatrixLayoutOpaque_t first, second, result;
    cublasLtMatmulAlgo_t algorithm;
    std::size_t workspace;
  };
  struct Destroy {
    void operator()(cublasLtContext* handle) const { cublasLtDestroy(handle); }
  };

  [[nodiscard]] static Key key_of(const Matmul& product);
  [[nodiscard]] Plan make_plan(const Matmul& product, const Key& key) const;

  std::unique_ptr<cublasLtContext, Destroy> handle_;
  std::map<Key, Plan> plans_;
  void* workspace_ = nullptr;
  Bytes workspace_size_{0};
};

}  // namespace headroom::runtime
