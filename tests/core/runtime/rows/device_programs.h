#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace headroom::runtime::rows::testing {

/// launch_rows of the test programs, for code that nvcc does not compile; see device_programs.cu
/// for which ones there are. `Lanes` is the block size.
template <int Lanes, class Program>
void launch(cudaStream_t stream, const Program& program, std::int64_t rows);

/// As launch, on a grid of two blocks that take turns over the rows.
template <int Lanes, class Program>
void launch_on_two_blocks(cudaStream_t stream, const Program& program, std::int64_t rows);

}  // namespace headroom::runtime::rows::testing
