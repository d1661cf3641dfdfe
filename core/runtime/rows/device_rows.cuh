#pragma once

#include "core/describe/error.h"
#include "core/runtime/rows/block_team.cuh"
#include "core/runtime/rows/host_rows.h"
#include "core/runtime/rows/sim_team.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

/// Supplied by a test double of the CUDA runtime and absent otherwise: told which host function
/// stands for a kernel. `run` gets the kernel's arguments and launch shape; kernels take one
/// argument by value, `param_bytes` long, of which the double keeps a copy until the work runs.
extern "C" void fakecuda_bind(const void* kernel,
                              void (*run)(void**, dim3, dim3),
                              std::size_t param_bytes) __attribute__((weak));
/// Supplied by a test double that wants blocks simulated lane by lane (SimTeam) while it returns
/// non-zero; rows otherwise run on SerialTeam.
extern "C" int fakecuda_simulates_blocks() __attribute__((weak));

namespace headroom::runtime::rows {

/// Lanes of a block unless the caller knows better: rows of a few hundred elements or more.
inline constexpr int kBlockLanes = 256;

namespace device_detail {

/// The one argument of a row kernel.
template <class Program>
struct Launch {
  Program program;
  std::int64_t rows;
};

template <int Lanes, class Program>
__global__ void __launch_bounds__(Lanes)
    row_kernel(const __grid_constant__ Launch<Program> launch) {
  BlockTeam<Lanes> team;
  for (std::int64_t row = blockIdx.x; row < launch.rows; row += gridDim.x) {
    launch.program(team, row);
    team.sync();
  }
}

template <int Lanes, class Program>
void run_on_host(void** arguments, dim3 /*grid*/, dim3 /*block*/) {
  const auto& [program, rows] = *static_cast<const Launch<Program>*>(arguments[0]);
  if (fakecuda_simulates_blocks != nullptr && fakecuda_simulates_blocks() != 0) {
    run_rows_host<SimTeam<Lanes>>(program, rows);
  } else {
    run_rows_host<SerialTeam>(program, rows);
  }
}

template <int Lanes, class Program>
bool bind_host_version() {
  if (fakecuda_bind != nullptr) {
    fakecuda_bind(reinterpret_cast<const void*>(&row_kernel<Lanes, Program>),
                  &run_on_host<Lanes, Program>, sizeof(Launch<Program>));
  }
  return true;
}

}  // namespace device_detail

/// Starts rows 0 to rows - 1 of a program on a stream, one block a row, and returns at once.
/// `max_blocks` limits the grid; blocks then take several rows each.
/// Errors: Error if the launch is refused. What goes wrong on the device later comes from the next
/// synchronising call, as with every kernel.
template <int Lanes = kBlockLanes, class Program>
void launch_rows(cudaStream_t stream,
                 const Program& program,
                 std::int64_t rows,
                 std::int64_t max_blocks = 0x7fffffff) {
  if (rows <= 0) return;
  [[maybe_unused]] static const bool bound = device_detail::bind_host_version<Lanes, Program>();
  const auto blocks = static_cast<unsigned>(rows < max_blocks ? rows : max_blocks);
  device_detail::Launch<Program> launch{program, rows};
#if defined(__GNUC__) && !defined(__clang__)
  // A double looks for stray pointers in the argument; what padding happens to hold is none.
  __builtin_clear_padding(&launch);
#endif
  device_detail::row_kernel<Lanes, Program><<<blocks, Lanes, 0, stream>>>(launch);
  if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess) {
    throw Error("launch of a row kernel (" + std::to_string(blocks) + " blocks of " +
                std::to_string(Lanes) + " threads) failed: " + cudaGetErrorString(code) + " (" +
                cudaGetErrorName(code) + ")");
  }
}

}  // namespace headroom::runtime::rows
