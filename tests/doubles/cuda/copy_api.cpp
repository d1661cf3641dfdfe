// cudaMemcpy… and cudaMemset….
#include "tests/doubles/cuda/api.h"

#include <cstring>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace headroom::cuda_double {
namespace {

bool on_host(Space space) { return space == Space::kPageable || space == Space::kPinned; }

const char* kind_name(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return "HostToHost";
    case cudaMemcpyHostToDevice:
      return "HostToDevice";
    case cudaMemcpyDeviceToHost:
      return "DeviceToHost";
    case cudaMemcpyDeviceToDevice:
      return "DeviceToDevice";
    default:
      return "Default";
  }
}

struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
  Space to_space = Space::kPageable;
  Space from_space = Space::kPageable;

  [[nodiscard]] bool to_device() const { return to_space == Space::kDevice; }
  [[nodiscard]] bool from_device() const { return from_space == Space::kDevice; }
  [[nodiscard]] bool pageable() const {
    return to_space == Space::kPageable || from_space == Space::kPageable;
  }
};

/// Refuses dead pointers, kinds that lie, ranges that leave their allocation and overlaps.
cudaError_t check(const Call& call, Copy& copy, cudaMemcpyKind kind) {
  const Memory& memory = *call.rt.memory;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return call.fail(cudaErrorInvalidMemcpyDirection, "unknown kind");
  }
  copy.to_space = memory.space(copy.to);
  copy.from_space = memory.space(copy.from);
  for (const auto& [role, pointer, space] :
       {std::tuple<const char*, const void*, Space>{"destination", copy.to, copy.to_space},
        {"source", copy.from, copy.from_space}}) {
    if (pointer == nullptr) {
      return call.fail(cudaErrorInvalidValue, std::string(role) + " is a null pointer");
    }
    if (space == Space::kPageable) continue;
    const std::string problem = memory.range_problem(pointer, copy.bytes);
    if (!problem.empty()) {
      return call.fail(cudaErrorInvalidValue, std::string(role) + " " + problem);
    }
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault &&
      (to_device == on_host(copy.to_space) || from_device == on_host(copy.from_space))) {
    return call.fail(cudaErrorInvalidValue, std::string("kind is ") + kind_name(kind) +
                                                ", but the destination is " +
                                                memory.describe(copy.to) + " and the source " +
                                                memory.describe(copy.from));
  }
  if (overlap(contiguous(copy.to, copy.bytes), contiguous(copy.from, copy.bytes))) {
    return call.fail(cudaErrorInvalidValue, "source and destination overlap");
  }
  return cudaSuccess;
}

void count(Runtime& rt, const Copy& copy) {
  cuda_double_counters_t& counters = rt.counters;
  if (copy.to_device() && copy.from_device()) {
    ++counters.copies_on_device;
    counters.bytes_on_device += copy.bytes;
  } else if (copy.to_device()) {
    ++counters.copies_to_device;
    counters.bytes_to_device += copy.bytes;
  } else if (copy.from_device()) {
    ++counters.copies_to_host;
    counters.bytes_to_host += copy.bytes;
  }
}

cudaError_t run_copy(const char* name, const Copy& copy) {
  const Memory& memory = *runtime().memory;
  for (const auto& [pointer, space] :
       {std::pair<const void*, Space>{copy.to, copy.to_space}, {copy.from, copy.from_space}}) {
    if (space == Space::kPageable || memory.find(pointer) != nullptr) continue;
    violate(std::string(name) + ": when it ran, a pointer led to " + memory.describe(pointer));
    return cudaErrorIllegalAddress;
  }
  std::memcpy(copy.to, copy.from, copy.bytes);
  return cudaSuccess;
}

void queue(const Call& call,
           const std::shared_ptr<Stream>& stream,
           const char* name,
           const Copy& copy) {
  std::vector<Access> accesses;
  if (copy.to_space != Space::kPageable) {
    accesses.push_back({contiguous(copy.to, copy.bytes), Access::Kind::kWrite});
  }
  if (copy.from_space != Space::kPageable) {
    accesses.push_back({contiguous(copy.from, copy.bytes), Access::Kind::kRead});
  }
  call.rt.scheduler->issue(
      stream, name, [name, copy] { return run_copy(name, copy); }, accesses);
}

/// As hardware does from pageable memory: the source is read now, the device is written later.
void queue_staged(const Call& call,
                  const std::shared_ptr<Stream>& stream,
                  const char* name,
                  const Copy& copy) {
  const auto* const first = static_cast<const char*>(copy.from);
  auto staged = std::make_shared<std::vector<char>>(first, first + copy.bytes);
  call.rt.scheduler->issue(stream, name,
                           [name, later = copy, staged]() mutable {
                             later.from = staged->data();
                             return run_copy(name, later);
                           },
                           {{contiguous(copy.to, copy.bytes), Access::Kind::kWrite}});
}

cudaError_t copy_now(const Call& call, const Copy& copy) {
  std::shared_ptr<Stream> stream;
  const cudaError_t error = call.implicit_stream(stream);
  if (error != cudaSuccess) return error;
  Scheduler& scheduler = *call.rt.scheduler;
  if (copy.to_device() && copy.from_device()) {
    // Copies on the device do not make the host wait.
    queue(call, stream, "cudaMemcpy", copy);
    return cudaSuccess;
  }
  ++call.rt.counters.synchronisations;
  if (copy.to_device() && copy.from_space == Space::kPageable) {
    scheduler.synchronise(*stream);
    queue_staged(call, stream, "cudaMemcpy", copy);
  } else {
    queue(call, stream, "cudaMemcpy", copy);
    scheduler.synchronise(*stream);
  }
  return scheduler.failure();
}

cudaError_t copy_later(const Call& call, const Copy& copy, cudaStream_t handle) {
  std::shared_ptr<Stream> stream;
  const cudaError_t error = call.stream(handle, stream);
  if (error != cudaSuccess) return error;
  if (!copy.pageable()) {
    queue(call, stream, "cudaMemcpyAsync", copy);
    return cudaSuccess;
  }
  if (!call.rt.config.stage_pageable) {
    return call.fail(cudaErrorInvalidValue,
                     "asynchronous copy from or to pageable memory, which makes it synchronous or "
                     "unsafe; use pinned memory");
  }
  if (copy.to_device()) {
    queue_staged(call, stream, "cudaMemcpyAsync", copy);
    return cudaSuccess;
  }
  queue(call, stream, "cudaMemcpyAsync", copy);
  call.rt.scheduler->synchronise(*stream);
  return call.rt.scheduler->failure();
}

cudaError_t set(const Call& call,
                const char* name,
                const std::shared_ptr<Stream>& stream,
                void* pointer,
                int value,
                std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  const Memory& memory = *call.rt.memory;
  if (memory.space(pointer) != Space::kDevice) {
    return call.fail(cudaErrorInvalidValue, "not device memory: " + memory.describe(pointer));
  }
  const std::string problem = memory.range_problem(pointer, bytes);
  if (!problem.empty()) return call.fail(cudaErrorInvalidValue, problem);
  ++call.rt.counters.memsets;
  call.rt.scheduler->issue(
      stream, name,
      [name, pointer, value, bytes] {
        const Memory& now = *runtime().memory;
        if (now.find(pointer) == nullptr) {
          violate(std::string(name) + ": when it ran, the pointer led to " + now.describe(pointer));
          return cudaErrorIllegalAddress;
        }
        std::memset(pointer, value, bytes);
        return cudaSuccess;
      },
      {{contiguous(pointer, bytes), Access::Kind::kWrite}});
  return cudaSuccess;
}

}  // namespace
}  // namespace headroom::cuda_double

using namespace headroom::cuda_double;  // NOLINT: the C functions below are the file's purpose

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return device_call("cudaMemcpy", [&](const Call& call) {
    if (bytes == 0) return cudaSuccess;
    Copy copy{to, from, bytes};
    const cudaError_t error = check(call, copy, kind);
    if (error != cudaSuccess) return error;
    count(call.rt, copy);
    return copy_now(call, copy);
  });
}

cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return device_call("cudaMemcpyAsync", [&](const Call& call) {
    if (bytes == 0) return cudaSuccess;
    Copy copy{to, from, bytes};
    const cudaError_t error = check(call, copy, kind);
    if (error != cudaSuccess) return error;
    count(call.rt, copy);
    return copy_later(call, copy, stream);
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return device_call("cudaMemset", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    const cudaError_t error = call.implicit_stream(stream);
    return error == cudaSuccess ? set(call, "cudaMemset", stream, pointer, value, bytes) : error;
  });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t handle) {
  return device_call("cudaMemsetAsync", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    const cudaError_t error = call.stream(handle, stream);
    return error == cudaSuccess ? set(call, "cudaMemsetAsync", stream, pointer, value, bytes)
                                : error;
  });
}

}  // extern "C"
