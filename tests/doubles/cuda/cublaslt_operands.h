#pragma once

#include "tests/doubles/cuda/cublaslt_algorithm.h"
#include "tests/doubles/cuda/cublaslt_compute.h"
#include "tests/doubles/cuda/memory.h"

#include <vector>

namespace headroom::cuda_double {

/// Checks every pointer of a call against live memory, alignments and each other, and lists what
/// the matmul will touch.
Refusal check_operands(const Memory& memory,
                       const Problem& problem,
                       const Operands& operands,
                       const AlgorithmData& algorithm,
                       std::vector<Access>& accesses);

}  // namespace headroom::cuda_double
