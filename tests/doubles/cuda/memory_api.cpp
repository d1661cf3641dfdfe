// cudaMalloc and its family.
#include "tests/doubles/cuda/api.h"
#include "tests/doubles/cuda/fault.h"

#include <algorithm>

namespace headroom::cuda_double {
namespace {

void count_allocation(Runtime& rt, std::size_t bytes) {
  ++rt.counters.allocations;
  rt.counters.bytes_live += bytes;
  rt.counters.bytes_peak = std::max(rt.counters.bytes_peak, rt.counters.bytes_live);
}

void count_free(Runtime& rt, const Allocation& allocation) {
  ++rt.counters.frees;
  rt.counters.bytes_live -= allocation.bytes;
}

void count_host(Runtime& rt, std::size_t bytes) {
  ++rt.counters.host_allocations;
  rt.counters.host_bytes_live += bytes;
  rt.counters.host_bytes_peak = std::max(rt.counters.host_bytes_peak, rt.counters.host_bytes_live);
}

void count_host_free(Runtime& rt, const Allocation& allocation) {
  ++rt.counters.host_frees;
  rt.counters.host_bytes_live -= allocation.bytes;
}

void release(Runtime& rt, std::uintptr_t base) {
  const std::string problem = rt.memory->release(base);
  if (!problem.empty()) violate(problem);
}

/// The allocation that starts at `pointer` and may be freed as `space`, or null after a violation.
Allocation* freeable(const Call& call, const void* pointer, Space space) {
  Allocation* allocation = call.rt.memory->find_base(pointer);
  if (allocation == nullptr || allocation->space != space || allocation->registered ||
      allocation->release_queued) {
    call.fail(cudaErrorInvalidValue, "cannot free " + call.rt.memory->describe(pointer) +
                                         (allocation != nullptr && allocation->release_queued
                                              ? ", which cudaFreeAsync already released"
                                              : ""));
    return nullptr;
  }
  return allocation;
}

cudaError_t allocate_device(const Call& call, void** out, std::size_t bytes) {
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  ensure_fault_handler();
  *out = call.rt.memory->allocate_device(bytes, thread_state().device);
  if (*out == nullptr) return cudaErrorMemoryAllocation;
  count_allocation(call.rt, bytes);
  return cudaSuccess;
}

cudaError_t allocate_pinned(const Call& call, void** out, std::size_t bytes) {
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  ensure_fault_handler();
  *out = call.rt.memory->allocate_pinned(bytes);
  if (*out == nullptr) return cudaErrorMemoryAllocation;
  count_host(call.rt, bytes);
  return cudaSuccess;
}

void synchronise_all(Runtime& rt) {
  for (int device = 0; device < rt.config.devices; ++device) {
    rt.scheduler->synchronise_device(device);
  }
  ++rt.counters.synchronisations;
}

}  // namespace
}  // namespace headroom::cuda_double

using namespace headroom::cuda_double;  // NOLINT: the C functions below are the file's purpose

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) {
  return device_call("cudaMalloc",
                     [&](const Call& call) { return allocate_device(call, out, bytes); });
}

cudaError_t cudaFree(void* pointer) {
  return device_call("cudaFree", [&](const Call& call) {
    if (pointer == nullptr) return cudaSuccess;
    Allocation* allocation = freeable(call, pointer, Space::kDevice);
    if (allocation == nullptr) return cudaErrorInvalidValue;
    call.rt.scheduler->synchronise_device(allocation->device);
    count_free(call.rt, *allocation);
    release(call.rt, allocation->base);
    return call.rt.scheduler->failure();
  });
}

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t stream) {
  return device_call("cudaMallocAsync", [&](const Call& call) {
    std::shared_ptr<Stream> on;
    const cudaError_t error = call.stream(stream, on);
    return error == cudaSuccess ? allocate_device(call, out, bytes) : error;
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return device_call("cudaFreeAsync", [&](const Call& call) {
    std::shared_ptr<Stream> on;
    const cudaError_t error = call.stream(stream, on);
    if (error != cudaSuccess || pointer == nullptr) return error;
    Allocation* allocation = freeable(call, pointer, Space::kDevice);
    if (allocation == nullptr) return cudaErrorInvalidValue;
    allocation->release_queued = true;
    const std::uintptr_t base = allocation->base;
    // Freeing is a write of the whole range: whoever still uses it on another stream is in a race.
    call.rt.scheduler->issue(on, "cudaFreeAsync",
                             [base] {
                               Runtime& rt = runtime();
                               count_free(rt, *rt.memory->find_base(reinterpret_cast<void*>(base)));
                               release(rt, base);
                               return cudaSuccess;
                             },
                             {{contiguous(pointer, allocation->bytes), Access::Kind::kWrite}});
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** out, size_t bytes) {
  return device_call("cudaMallocHost",
                     [&](const Call& call) { return allocate_pinned(call, out, bytes); });
}

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) {
  return device_call("cudaHostAlloc", [&](const Call& call) {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~kKnown) != 0) return call.fail(cudaErrorInvalidValue, "unknown flags");
    return allocate_pinned(call, out, bytes);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return device_call("cudaFreeHost", [&](const Call& call) {
    if (pointer == nullptr) return cudaSuccess;
    Allocation* allocation = freeable(call, pointer, Space::kPinned);
    if (allocation == nullptr) return cudaErrorInvalidValue;
    synchronise_all(call.rt);
    count_host_free(call.rt, *allocation);
    release(call.rt, allocation->base);
    return call.rt.scheduler->failure();
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return device_call("cudaHostRegister", [&](const Call& call) {
    constexpr unsigned kKnown =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    if (pointer == nullptr || bytes == 0 || (flags & ~kKnown) != 0) {
      return call.fail(cudaErrorInvalidValue, "null pointer, no bytes or unknown flags");
    }
    const Space space = call.rt.memory->space(pointer);
    if (space != Space::kPageable) {
      return call.fail(
          space == Space::kPinned ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue,
          "cannot register " + call.rt.memory->describe(pointer));
    }
    if (!call.rt.memory->register_host(pointer, bytes)) {
      return call.fail(cudaErrorHostMemoryAlreadyRegistered, "overlaps a registered range");
    }
    count_host(call.rt, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return device_call("cudaHostUnregister", [&](const Call& call) {
    const Allocation* allocation = call.rt.memory->find_base(pointer);
    if (allocation == nullptr || !allocation->registered) {
      return call.fail(cudaErrorHostMemoryNotRegistered,
                       "not registered: " + call.rt.memory->describe(pointer));
    }
    synchronise_all(call.rt);
    count_host_free(call.rt, *allocation);
    call.rt.memory->unregister_host(allocation->base);
    return call.rt.scheduler->failure();
  });
}

cudaError_t cudaHostGetDevicePointer(void** out, void* pointer, unsigned flags) {
  return device_call("cudaHostGetDevicePointer", [&](const Call& call) {
    if (out == nullptr || flags != 0) return call.fail(cudaErrorInvalidValue, "bad argument");
    if (call.rt.memory->space(pointer) != Space::kPinned) {
      return call.fail(cudaErrorInvalidValue, "not pinned: " + call.rt.memory->describe(pointer));
    }
    *out = pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return device_call("cudaMemGetInfo", [&](const Call& call) {
    if (free_bytes == nullptr || total_bytes == nullptr) {
      return call.fail(cudaErrorInvalidValue, "null result pointer");
    }
    *total_bytes = call.rt.config.memory;
    const size_t used = call.rt.memory->used_bytes(thread_state().device);
    *free_bytes = used < *total_bytes ? *total_bytes - used : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return device_call("cudaPointerGetAttributes", [&](const Call& call) {
    if (attributes == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -1;
    const Allocation* allocation = call.rt.memory->find(pointer);
    if (allocation == nullptr) {
      if (call.rt.memory->space(pointer) == Space::kDead) {
        return call.fail(cudaErrorInvalidValue, "points to " + call.rt.memory->describe(pointer));
      }
      return cudaSuccess;
    }
    const bool device = allocation->space == Space::kDevice;
    attributes->type = device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
    attributes->device = allocation->device;
    attributes->devicePointer = const_cast<void*>(pointer);
    attributes->hostPointer = device ? nullptr : const_cast<void*>(pointer);
    return cudaSuccess;
  });
}

}  // extern "C"
