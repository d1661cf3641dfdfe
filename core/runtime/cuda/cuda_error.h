#pragma once

#include "core/describe/error.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <string_view>

namespace headroom::runtime {

/// A call of the CUDA runtime or cuBLASLt failed. The message names the call, the code with its
/// name and meaning, and the place in our source.
class CudaError : public Error {
 public:
  CudaError(std::string_view call, cudaError_t code, const std::source_location& where);
  CudaError(std::string_view call, cublasStatus_t status, const std::source_location& where);
};

/// Throws CudaError unless the call succeeded, and clears the runtime's last error, so that the
/// next launch is not blamed for it.
void check(cudaError_t code,
           std::string_view call,
           const std::source_location& where = std::source_location::current());
void check(cublasStatus_t status,
           std::string_view call,
           const std::source_location& where = std::source_location::current());

}  // namespace headroom::runtime
