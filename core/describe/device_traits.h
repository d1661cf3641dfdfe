#pragma once

#include "core/describe/units.h"

namespace headroom {

/// What a device needs beside the model's own tensors. The engine allocates by it and the
/// estimator counts by it.
struct DeviceTraits {
  bool staged_inputs = false;  ///< batches pass through pinned host memory
  Bytes matmul_workspace{0};   ///< scratch shared by all matrix products
  int input_slots = 2;         ///< one batch is computed while the next one is loaded
};

/// The processor: batches are loaded where they are read, and OpenBLAS brings its own buffers.
inline constexpr DeviceTraits kCpuTraits{};

/// An NVIDIA GPU: 32 MiB is what cuBLASLt needs to have every algorithm of Hopper at hand.
/// Source: NVIDIA cuBLAS library documentation, cublasSetWorkspace, recommended sizes.
inline constexpr DeviceTraits kCudaTraits{
    .staged_inputs = true, .matmul_workspace = Bytes(32LL << 20), .input_slots = 2};

}  // namespace headroom
