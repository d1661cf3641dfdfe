#pragma once

/// Marks a function that runs on the host and, when compiled by nvcc, on the device too. It is
/// always inlined, since the compiler vectorises a loop only when it sees through every call in it.
#ifdef __CUDACC__
#define HEADROOM_HD __host__ __device__ __forceinline__
#else
#define HEADROOM_HD inline __attribute__((always_inline))
#endif
