#pragma once

#include <cuda_runtime_api.h>

namespace headroom::cuda_double {

/// How a test launches: rows become blocks unless the test asks for something else.
struct LaunchShape {
  dim3 grid;
  dim3 block = dim3(256, 1, 1);
  std::size_t shared_bytes = 0;
};

/// y[row, i] = factor * x[row, i] - mean of the row, for `columns` values in each row.
void launch_centred(cudaStream_t stream,
                    const LaunchShape& shape,
                    const float* x,
                    float* y,
                    float factor,
                    int columns);

/// A kernel whose host version nobody bound.
void launch_unbound(cudaStream_t stream, float* x);

/// The host stub of the bound kernel, for functions that take one.
const void* centred_kernel();

}  // namespace headroom::cuda_double
