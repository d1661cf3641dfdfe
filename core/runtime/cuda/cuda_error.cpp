#include "core/runtime/cuda/cuda_error.h"

#include <string>

namespace headroom::runtime {
namespace {

std::string place(const std::source_location& where) {
  std::string_view file = where.file_name();
  const std::size_t root = file.find("core/runtime/");
  if (root != std::string_view::npos) file.remove_prefix(root);
  return " at " + std::string(file) + ":" + std::to_string(where.line());
}

}  // namespace

CudaError::CudaError(std::string_view call, cudaError_t code, const std::source_location& where)
    : Error(std::string(call) + " failed: " + cudaGetErrorString(code) + " (" +
            cudaGetErrorName(code) + ", code " + std::to_string(code) + ")" + place(where)) {}

CudaError::CudaError(std::string_view call,
                     cublasStatus_t status,
                     const std::source_location& where)
    : Error(std::string(call) + " failed: " + cublasLtGetStatusString(status) + " (" +
            cublasLtGetStatusName(status) + ", code " + std::to_string(status) + ")" +
            place(where)) {}

void check(cudaError_t code, std::string_view call, const std::source_location& where) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw CudaError(call, code, where);
}

void check(cublasStatus_t status, std::string_view call, const std::source_location& where) {
  if (status != CUBLAS_STATUS_SUCCESS) throw CudaError(call, status, where);
}

}  // namespace headroom::runtime
