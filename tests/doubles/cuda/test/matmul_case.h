#pragma once

#include "tests/doubles/cuda/test/double_test.h"

#include <cublasLt.h>

#include <optional>
#include <string>
#include <vector>

namespace headroom::cuda_double {

/// A whole cuBLASLt call that a test can bend before it runs. All matrices are column-major unless
/// `row_major` says otherwise; pads widen leading dimensions beyond the smallest.
struct MatmulCase {
  std::size_t m = 5;
  std::size_t n = 3;
  std::size_t k = 7;
  bool trans_a = false;
  bool trans_b = false;
  bool row_major = false;
  cudaDataType_t input = CUDA_R_32F;
  std::optional<cudaDataType_t> input_b;  ///< when B differs from A
  cudaDataType_t output = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scale = CUDA_R_32F;
  std::size_t pad_a = 0;
  std::size_t pad_b = 0;
  std::size_t pad_d = 0;
  std::size_t batch = 1;
  std::size_t gap = 0;  ///< elements between the matrices of a batch
  double alpha = 1;
  double beta = 0;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  cudaDataType_t bias = CUDA_R_32F;
  std::size_t workspace = 0;
  std::uint32_t alignment = 256;
  unsigned seed = 1;

  cudaDataType_t type_b() const { return input_b.value_or(input); }
};

/// Encodes and decodes element types with the engine's conversions, which share nothing with the
/// double's.
std::vector<unsigned char> encode(cudaDataType_t type, const std::vector<double>& values);
std::vector<double> decode(cudaDataType_t type, const std::vector<unsigned char>& bytes);
std::size_t element_bytes(cudaDataType_t type);

/// The descriptors, device memory and expected result of a case.
class MatmulRun {
 public:
  explicit MatmulRun(const MatmulCase& spec);
  ~MatmulRun();
  MatmulRun(const MatmulRun&) = delete;
  MatmulRun& operator=(const MatmulRun&) = delete;

  cublasStatus_t find_algorithm();
  /// Queues the matmul; the caller synchronises.
  cublasStatus_t launch();
  /// The same without an algorithm: the library is to choose.
  cublasStatus_t launch_default();
  /// Heuristic, launch and synchronisation, all required to succeed.
  void run();

  /// Results as the device holds them, leading dimensions and gaps included.
  std::vector<double> d_values() const { return read(output_, d_bytes_, d); }
  std::vector<double> bias_values() const { return read(spec.bias, bias_bytes_, bias); }
  std::vector<unsigned char> aux_bytes() const { return read_bytes(aux_size_, aux); }

  /// alpha op(A) op(B) + beta C by three loops over doubles, element (i, j) of matrix `index`.
  double expected(std::size_t i, std::size_t j, std::size_t index = 0) const;
  double c_value(std::size_t i, std::size_t j, std::size_t index = 0) const;
  double a_value(std::size_t i, std::size_t l, std::size_t index = 0) const;
  double b_value(std::size_t l, std::size_t j, std::size_t index = 0) const;
  std::size_t d_offset(std::size_t i, std::size_t j, std::size_t index = 0) const;
  std::vector<double> bias_in;
  std::vector<double> aux_in;
  void set_aux(const std::vector<unsigned char>& bytes);

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    BOOST_REQUIRE_EQUAL(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(value)),
                        CUBLAS_STATUS_SUCCESS);
  }
  template <class T>
  static void set(cublasLtMatrixLayout_t layout,
                  cublasLtMatrixLayoutAttribute_t attribute,
                  T value) {
    BOOST_REQUIRE_EQUAL(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof(value)),
                        CUBLAS_STATUS_SUCCESS);
  }

  MatmulCase spec;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a_layout = nullptr;
  cublasLtMatrixLayout_t b_layout = nullptr;
  cublasLtMatrixLayout_t c_layout = nullptr;
  cublasLtMatrixLayout_t d_layout = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulHeuristicResult_t results[2] = {};
  int found = 0;
  char* a = nullptr;
  char* b = nullptr;
  char* c = nullptr;
  char* d = nullptr;
  char* bias = nullptr;
  char* aux = nullptr;
  char* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  const void* alpha = nullptr;
  const void* beta = nullptr;
  cudaStream_t stream = nullptr;

 private:
  /// Rows, columns and leading dimension of a stored matrix.
  struct Stored {
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::size_t ld = 0;
    std::size_t stride = 0;
    std::vector<double> values;
  };
  Stored stored(std::size_t rows, std::size_t cols, std::size_t pad, unsigned seed) const;
  double stored_value(const Stored& matrix,
                      std::size_t row,
                      std::size_t col,
                      std::size_t index) const;
  cublasLtMatrixLayout_t layout(cudaDataType_t type, const Stored& matrix) const;
  static char* upload(const std::vector<unsigned char>& bytes);
  static std::vector<unsigned char> read_bytes(std::size_t count, const char* from);
  static std::vector<double> read(cudaDataType_t type, std::size_t count, const char* from);
  void make_epilogue();

  Stored stored_a_;
  Stored stored_b_;
  Stored stored_c_;
  cudaDataType_t output_ = CUDA_R_32F;
  std::size_t d_bytes_ = 0;
  std::size_t bias_bytes_ = 0;
  std::size_t aux_size_ = 0;
  double scalars_[2] = {};
  float float_scalars_[2] = {};
};

}  // namespace headroom::cuda_double

inline std::ostream& boost_test_print_type(std::ostream& out, cublasStatus_t status) {
  return out << cublasLtGetStatusName(status);
}
