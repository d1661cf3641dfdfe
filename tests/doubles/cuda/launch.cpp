#include "tests/doubles/cuda/launch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace headroom::cuda_double {
namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxBlockZ = 64;
constexpr unsigned kMaxGridX = 2147483647;
constexpr unsigned kMaxGridYZ = 65535;

std::string to_string(dim3 d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

std::string shape_problem(const LaunchConfig& config) {
  const dim3 grid = config.grid;
  const dim3 block = config.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return "the grid " + to_string(grid) + " is empty";
  if (block.x == 0 || block.y == 0 || block.z == 0) {
    return "the block " + to_string(block) + " is empty";
  }
  if (grid.x > kMaxGridX || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ) {
    return "the grid " + to_string(grid) + " passes (2^31 - 1, 65535, 65535)";
  }
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads > kMaxThreads || block.x > kMaxThreads || block.y > kMaxThreads ||
      block.z > kMaxBlockZ) {
    return "the block " + to_string(block) + " has more than 1024 threads or 64 layers";
  }
  return {};
}

bool mapped(std::uintptr_t address) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address / page * page), page, &resident) == 0;
}

/// Finds the pointers in a parameter. On a GPU a pointer to freed memory or to the program's own
/// memory crashes or corrupts; on the CPU it would quietly work, so it must be refused here.
cudaError_t scan(const Call& call,
                 const Kernel& kernel,
                 const std::vector<char>& param,
                 std::vector<Access>& accesses) {
  // Below this lie sizes and counters; program code and heap lie above it on x86-64 and arm64
  // Linux.
  constexpr std::uintptr_t kLowestMapping = 0x1000'0000'0000;
  constexpr std::uintptr_t kHighestMapping = 0x7FFF'FFFF'FFFF;
  const Memory& memory = *call.rt.memory;
  for (std::size_t offset = 0; offset + sizeof(void*) <= param.size(); offset += sizeof(void*)) {
    std::uintptr_t address = 0;
    std::memcpy(&address, param.data() + offset, sizeof(address));
    if (address < kLowestMapping || address > kHighestMapping) continue;
    const void* pointer = reinterpret_cast<const void*>(address);
    const Space space = memory.space(pointer);
    const auto refuse = [&](const std::string& what) {
      return call.fail(cudaErrorInvalidValue, kernel.name + ": the word at byte " +
                                                  std::to_string(offset) +
                                                  " of its parameter points to " + what);
    };
    if (space == Space::kDead) {
      // Addresses that were never given out are numbers by chance.
      if (memory.find_freed(pointer) != nullptr) return refuse(memory.describe(pointer));
      continue;
    }
    if (space == Space::kPageable) {
      if (mapped(address)) return refuse("host memory that is not pinned");
      continue;
    }
    if (memory.find(pointer)->release_queued) {
      return refuse(memory.describe(pointer) + ", which cudaFreeAsync already released");
    }
    accesses.push_back({contiguous(pointer, 1), Access::Kind::kArgument});
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t find_kernel(const Call& call, const void* stub, Kernel*& kernel) {
  kernel = call.rt.kernels.find(stub);
  if (kernel == nullptr) {
    return call.fail(cudaErrorInvalidDeviceFunction, "the function is not a registered kernel");
  }
  const Config& config = call.rt.config;
  if (config.image_missing || !kernel->binary->runs_on(config.cc_major, config.cc_minor)) {
    return cudaErrorNoKernelImageForDevice;
  }
  return cudaSuccess;
}

cudaError_t launch(const Call& call, const void* stub, const LaunchConfig& config, void** args) {
  Kernel* kernel = nullptr;
  std::shared_ptr<Stream> stream;
  cudaError_t error = find_kernel(call, stub, kernel);
  if (error == cudaSuccess) error = call.stream(config.stream, stream);
  if (error != cudaSuccess) return error;
  const std::string problem = shape_problem(config);
  if (!problem.empty()) {
    return call.fail(cudaErrorInvalidConfiguration, kernel->name + ": " + problem);
  }
  if (config.shared_bytes > kernel->dynamic_shared_limit) {
    return call.fail(cudaErrorInvalidValue,
                     kernel->name + ": " + std::to_string(config.shared_bytes) +
                         " bytes of dynamic shared memory pass its limit of " +
                         std::to_string(kernel->dynamic_shared_limit));
  }
  if (kernel->run == nullptr) {
    return call.fail(cudaErrorInvalidDeviceFunction,
                     kernel->name + ": no host version was bound with fakecuda_bind");
  }
  auto param = std::make_shared<std::vector<char>>(kernel->param_bytes);
  if (kernel->param_bytes > 0) std::memcpy(param->data(), args[0], kernel->param_bytes);
  std::vector<Access> accesses;
  if (call.rt.config.scan_arguments) {
    error = scan(call, *kernel, *param, accesses);
    if (error != cudaSuccess) return error;
  }
  ++call.rt.counters.launches;
  call.rt.scheduler->issue(
      stream, "kernel " + kernel->name,
      [run = kernel->run, param, grid = config.grid, block = config.block] {
        void* arguments[] = {param->data()};
        run(arguments, grid, block);
        return cudaSuccess;
      },
      accesses);
  return cudaSuccess;
}

}  // namespace headroom::cuda_double

using namespace headroom::cuda_double;  // NOLINT: the C functions below are the file's purpose

extern "C" {

cudaError_t cudaLaunchKernel(const void* stub,
                             dim3 grid,
                             dim3 block,
                             void** args,
                             size_t shared_bytes,
                             cudaStream_t stream) {
  return device_call("cudaLaunchKernel", [&](const Call& call) {
    return launch(call, stub, {grid, block, shared_bytes, stream}, args);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* stub, void** args) {
  return device_call("cudaLaunchKernelExC", [&](const Call& call) {
    if (config == nullptr) return call.fail(cudaErrorInvalidValue, "null configuration");
    if (config->numAttrs != 0) {
      return call.fail(cudaErrorNotSupported, "launch attributes are not modelled");
    }
    return launch(call, stub,
                  {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream},
                  args);
  });
}

cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  return device_call("cudaFuncSetAttribute", [&](const Call& call) {
    constexpr int kLargest = 227 << 10;
    Kernel* kernel = nullptr;
    const cudaError_t error = find_kernel(call, stub, kernel);
    if (error != cudaSuccess) return error;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
      return call.fail(cudaErrorInvalidValue, "unmodelled attribute");
    }
    if (value < 0 || value > kLargest) {
      return call.fail(cudaErrorInvalidValue, "a block has at most 227 KiB of shared memory");
    }
    kernel->dynamic_shared_limit = static_cast<size_t>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  return device_call("cudaFuncGetAttributes", [&](const Call& call) {
    Kernel* kernel = nullptr;
    const cudaError_t error = find_kernel(call, stub, kernel);
    if (error != cudaSuccess) return error;
    if (attributes == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
    *attributes = {};
    attributes->maxThreadsPerBlock = static_cast<int>(kMaxThreads);
    attributes->numRegs = 32;
    attributes->binaryVersion = call.rt.config.cc_major * 10 + call.rt.config.cc_minor;
    attributes->ptxVersion = attributes->binaryVersion;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel->dynamic_shared_limit);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* stub, int block_size, size_t shared_bytes, unsigned) {
  return device_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](const Call& call) {
    constexpr int kThreadsPerSm = 2048;
    constexpr int kBlocksPerSm = 32;
    constexpr size_t kSharedPerSm = size_t{228} << 10;
    constexpr size_t kReservedShared = 1024;
    Kernel* kernel = nullptr;
    const cudaError_t error = find_kernel(call, stub, kernel);
    if (error != cudaSuccess) return error;
    if (blocks == nullptr || block_size <= 0 || block_size > static_cast<int>(kMaxThreads)) {
      return call.fail(cudaErrorInvalidValue, "null result pointer or impossible block size");
    }
    const auto by_shared = static_cast<int>(kSharedPerSm / (shared_bytes + kReservedShared));
    *blocks = std::min({kBlocksPerSm, kThreadsPerSm / block_size, by_shared});
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          const void* stub,
                                                          int block_size,
                                                          size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, block_size,
                                                                shared_bytes, 0);
}

}  // extern "C"
