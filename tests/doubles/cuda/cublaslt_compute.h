#pragma once

#include "tests/doubles/cuda/cublaslt_problem.h"

#include <cstddef>

namespace headroom::cuda_double {

/// The pointers of one call, already checked.
struct Operands {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  void* d = nullptr;
  double alpha = 1;
  double beta = 0;
  const void* device_alpha = nullptr;  ///< when the scalars lie on the device
  const void* device_beta = nullptr;
  const void* a_scale = nullptr;
  const void* b_scale = nullptr;
  void* bias = nullptr;
  std::size_t bias_stride = 0;
  void* aux = nullptr;
  std::size_t aux_ld = 0;
  std::size_t aux_stride = 0;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// Computes D (and bias gradients and the auxiliary matrix) and destroys the workspace.
void compute(const Problem& problem, const Operands& operands, unsigned char poison);

}  // namespace headroom::cuda_double
