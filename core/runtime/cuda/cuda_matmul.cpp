#include "core/runtime/cuda/cuda_matmul.h"

#include "core/runtime/cuda/cuda_error.h"
#include "core/runtime/kernel_context.h"

#include <algorithm>
#include <bit>
#include <string>

namespace headroom::runtime {
namespace {

/// Alignment that cuBLASLt takes into account at most, in bytes; also what an arena gives.
constexpr std::uint32_t kLargestAlignment = 256;

/// What every row of every matrix of a batch is aligned to.
std::uint32_t alignment(const void* memory, DType dtype, std::int64_t ld, std::int64_t stride) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const auto steps = static_cast<std::uintptr_t>((ld | stride) * size_of(dtype));
  const int zeros =
      std::min(std::countr_zero(address | steps), std::countr_zero(kLargestAlignment));
  return std::uint32_t{1} << zeros;
}

cudaDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return CUDA_R_64F;
    case DType::kF32:
      return CUDA_R_32F;
    case DType::kBf16:
      return CUDA_R_16BF;
    case DType::kF16:
      return CUDA_R_16F;
    default:
      throw Error("cuBLASLt is not asked to multiply " + std::string(name(dtype)));
  }
}

std::string describe(const Matmul& p) {
  return std::string(name(p.dtype)) + " product of " + std::to_string(p.m) + " x " +
         std::to_string(p.k) + (p.transpose_a ? " (transposed)" : "") + " and " +
         std::to_string(p.k) + " x " + std::to_string(p.n) +
         (p.transpose_b ? " (transposed)" : "") +
         (p.batch > 1 ? ", " + std::to_string(p.batch) + " times" : "") +
         (p.bias != nullptr ? ", with bias" : "");
}

template <class Value>
void set(cublasLtMatmulDescOpaque_t& product,
         cublasLtMatmulDescAttributes_t attribute,
         Value value) {
  check(cublasLtMatmulDescSetAttribute(&product, attribute, &value, sizeof(value)),
        "cublasLtMatmulDescSetAttribute");
}

template <class Value>
void set(cublasLtMatmulPreferenceOpaque_t& preference,
         cublasLtMatmulPreferenceAttributes_t attribute,
         Value value) {
  check(cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute");
}

/// A row-major matrix of `rows` x `columns` is, read column by column, its transpose.
void init_layout(cublasLtMatrixLayoutOpaque_t& layout,
                 DType dtype,
                 std::int64_t batches,
                 std::int64_t rows,
                 std::int64_t columns,
                 std::int64_t ld,
                 std::int64_t stride) {
  check(cublasLtMatrixLayoutInit(&layout, type_of(dtype), static_cast<std::uint64_t>(columns),
                                 static_cast<std::uint64_t>(rows), ld),
        "cublasLtMatrixLayoutInit");
  if (batches == 1) return;
  const auto batch = static_cast<std::int32_t>(batches);
  check(cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                         sizeof(batch)),
        "cublasLtMatrixLayoutSetAttribute (batch count)");
  check(cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                         &stride, sizeof(stride)),
        "cublasLtMatrixLayoutSetAttribute (batch stride)");
}

}  // namespace

CudaMatmul::CudaMatmul() {
  cublasLtHandle_t handle = nullptr;
  check(cublasLtCreate(&handle), "cublasLtCreate");
  handle_.reset(handle);
}

void CudaMatmul::set_workspace(void* memory, Bytes size) {
  plans_.clear();
  workspace_ = memory;
  workspace_size_ = size;
}

CudaMatmul::Key CudaMatmul::key_of(const Matmul& p) {
  return {.dtype = p.dtype,
          .c_dtype = p.result(),
          .transpose_a = p.transpose_a,
          .transpose_b = p.transpose_b,
          .has_bias = p.bias != nullptr,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .lda = p.lda,
          .ldb = p.ldb,
          .ldc = p.ldc,
          .batch = p.batch,
          .stride_a = p.stride_a,
          .stride_b = p.stride_b,
          .stride_c = p.stride_c,
          .align_a = alignment(p.a, p.dtype, p.lda, p.stride_a),
          .align_b = alignment(p.b, p.dtype, p.ldb, p.stride_b),
          .align_c = alignment(p.c, p.result(), p.ldc, p.stride_c)};
}

// cuBLASLt works column by column. Row-major C = A B is column-major C^T = B^T A^T, and every
// row-major matrix already is its transpose in column-major order: so B comes first, A second, and
// a bias of one value for each of our columns is one for each of its rows, as its epilogue wants.
CudaMatmul::Plan CudaMatmul::make_plan(const Matmul& p, const Key& key) const {
  const bool f64 = p.dtype == DType::kF64;
  Plan plan{};
  check(cublasLtMatmulDescInit(&plan.product, f64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                               f64 ? CUDA_R_64F : CUDA_R_32F),
        "cublasLtMatmulDescInit");
  set(plan.product, CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(plan.product, CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  if (p.bias != nullptr) {
    set(plan.product, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  }
  init_layout(plan.first, p.dtype, p.batch, p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n,
              p.ldb, p.stride_b);
  init_layout(plan.second, p.dtype, p.batch, p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k,
              p.lda, p.stride_a);
  init_layout(plan.result, p.result(), p.batch, p.m, p.n, p.ldc, p.stride_c);

  cublasLtMatmulPreferenceOpaque_t preference{};
  check(cublasLtMatmulPreferenceInit(&preference), "cublasLtMatmulPreferenceInit");
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
      static_cast<std::uint64_t>(workspace_size_.value()));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, key.align_b);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, key.align_a);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, key.align_c);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, key.align_c);

  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(handle_.get(), &plan.product, &plan.first, &plan.second,
                                     &plan.result, &plan.result, &preference, 1, &best, &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && found == 0)) {
    throw Error("cuBLASLt has no algorithm for the " + describe(p));
  }
  check(status, "cublasLtMatmulAlgoGetHeuristic for the " + describe(p));
  check(best.state, "cublasLtMatmulAlgoGetHeuristic for the " + describe(p));
  plan.algorithm = best.algo;
  plan.workspace = best.workspaceSize;
  return plan;
}

void CudaMatmul::run(const Matmul& p, cudaStream_t stream) {
  if (p.m == 0 || p.n == 0 || p.batch == 0) return;
  const Key key = key_of(p);
  auto entry = plans_.find(key);
  if (entry == plans_.end()) entry = plans_.emplace(key, make_plan(p, key)).first;
  Plan& plan = entry->second;
  if (p.bias != nullptr) set(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  // The factors are of the type that sums are kept in.
  with_wide_type(p.dtype == DType::kF64 ? DType::kF64 : DType::kF32, [&]<class A>() {
    const A one = 1;
    const A beta = p.accumulate ? A(1) : A(0);
    const cublasStatus_t status = cublasLtMatmul(
        handle_.get(), &plan.product, &one, p.b, &plan.first, p.a, &plan.second, &beta, p.c,
        &plan.result, p.c, &plan.result, &plan.algorithm, workspace_, plan.workspace, stream);
    if (status != CUBLAS_STATUS_SUCCESS) check(status, "cublasLtMatmul for the " + describe(p));
  });
}

}  // namespace headroom::runtime
