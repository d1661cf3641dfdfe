// One row program in the form the engine uses: a functor over a team, a kernel that runs it with
// one block for each row, and a host version for the double.
#include "tests/doubles/cuda/test/row_kernel.h"

extern "C" void fakecuda_bind(const void* fn, void (*run)(void**, dim3, dim3), size_t param_bytes)
    __attribute__((weak));

namespace headroom::cuda_double {
namespace {

struct Centred {
  const float* x;
  float* y;
  float factor;
  int columns;

  template <class Team>
  __host__ __device__ void operator()(Team& team, unsigned row) const {
    const float* __restrict from = x + static_cast<size_t>(row) * columns;
    float* __restrict to = y + static_cast<size_t>(row) * columns;
    const float mean = team.sum(columns, from) / static_cast<float>(columns);
    for (int i = team.first(); i < columns; i += team.stride()) to[i] = factor * from[i] - mean;
  }
};

struct SerialTeam {
  __host__ __device__ int first() const { return 0; }
  __host__ __device__ int stride() const { return 1; }
  __host__ __device__ float sum(int count, const float* values) const {
    float total = 0;
    for (int i = 0; i < count; ++i) total += values[i];
    return total;
  }
};

struct BlockTeam {
  float* shared;

  __device__ int first() const { return static_cast<int>(threadIdx.x); }
  __device__ int stride() const { return static_cast<int>(blockDim.x); }
  __device__ float sum(int count, const float* values) const {
    float total = 0;
    for (int i = first(); i < count; i += stride()) total += values[i];
    shared[threadIdx.x] = total;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
      __syncthreads();
    }
    return shared[0];
  }
};

template <class Program>
__global__ void row_kernel(const __grid_constant__ Program program) {
  __shared__ float shared[1024];
  BlockTeam team{shared};
  program(team, blockIdx.x);
}

template <class Program>
void run_rows(void** args, dim3 grid, dim3) {
  const Program& program = *static_cast<const Program*>(args[0]);
  SerialTeam team;
  for (unsigned row = 0; row < grid.x; ++row) program(team, row);
}

__global__ void unbound_kernel(float* x) { *x = 1; }

}  // namespace

void launch_centred(cudaStream_t stream,
                    const LaunchShape& shape,
                    const float* x,
                    float* y,
                    float factor,
                    int columns) {
  if (fakecuda_bind != nullptr) {
    fakecuda_bind(centred_kernel(), run_rows<Centred>, sizeof(Centred));
  }
  const Centred program{x, y, factor, columns};
  row_kernel<<<shape.grid, shape.block, shape.shared_bytes, stream>>>(program);
}

void launch_unbound(cudaStream_t stream, float* x) { unbound_kernel<<<1, 1, 0, stream>>>(x); }

const void* centred_kernel() { return reinterpret_cast<const void*>(&row_kernel<Centred>); }

}  // namespace headroom::cuda_double
