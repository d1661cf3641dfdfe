// cudaStream…, cudaEvent… and cudaDeviceSynchronize.
#include "tests/doubles/cuda/api.h"

#include <chrono>

namespace headroom::cuda_double {
namespace {

cudaError_t create_stream(const Call& call, cudaStream_t* out, unsigned flags, int priority) {
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
  if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) {
    return call.fail(cudaErrorInvalidValue, "unknown flags");
  }
  *out =
      Scheduler::handle(*call.rt.scheduler->create_stream(flags, thread_state().device, priority));
  return cudaSuccess;
}

cudaError_t create_event(const Call& call, cudaEvent_t* out, unsigned flags) {
  if (out == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
  if ((flags & ~unsigned{cudaEventBlockingSync | cudaEventDisableTiming}) != 0) {
    return call.fail(cudaErrorInvalidValue, "unknown or unmodelled flags");
  }
  *out = Scheduler::handle(*call.rt.scheduler->create_event(flags));
  return cudaSuccess;
}

/// Checks one end of cudaEventElapsedTime.
cudaError_t timed(const Call& call, cudaEvent_t handle, std::shared_ptr<Event>& event) {
  const cudaError_t error = call.event(handle, event);
  if (error != cudaSuccess) return error;
  if ((event->flags & cudaEventDisableTiming) != 0) {
    return call.fail(cudaErrorInvalidResourceHandle, "the event was created without timing");
  }
  if (!event->latest) {
    return call.fail(cudaErrorInvalidResourceHandle, "the event was never recorded");
  }
  return event->latest->done ? cudaSuccess : cudaErrorNotReady;
}

}  // namespace
}  // namespace headroom::cuda_double

using namespace headroom::cuda_double;  // NOLINT: the C functions below are the file's purpose

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* out) {
  return device_call("cudaStreamCreate", [&](const Call& call) {
    return create_stream(call, out, cudaStreamDefault, 0);
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  return device_call("cudaStreamCreateWithFlags",
                     [&](const Call& call) { return create_stream(call, out, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  return device_call("cudaStreamCreateWithPriority",
                     [&](const Call& call) { return create_stream(call, out, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return device_call("cudaStreamDestroy", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    if (handle == nullptr || handle == cudaStreamLegacy) {
      return call.fail(cudaErrorInvalidResourceHandle, "the default stream cannot be destroyed");
    }
    const cudaError_t error = call.stream(handle, stream);
    if (error == cudaSuccess) call.rt.scheduler->destroy_stream(stream);
    return error;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return device_call("cudaStreamSynchronize", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    const cudaError_t error = call.stream(handle, stream);
    if (error != cudaSuccess) return error;
    ++call.rt.counters.synchronisations;
    call.rt.scheduler->synchronise(*stream);
    return call.rt.scheduler->failure();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return device_call("cudaStreamQuery", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    const cudaError_t error = call.stream(handle, stream);
    if (error != cudaSuccess) return error;
    const bool done = call.rt.scheduler->progress(*stream);
    if (call.rt.scheduler->failure() != cudaSuccess) return call.rt.scheduler->failure();
    return done ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
  return device_call("cudaStreamWaitEvent", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    std::shared_ptr<Event> event;
    cudaError_t error = call.stream(handle, stream);
    if (error == cudaSuccess) error = call.event(event_handle, event);
    if (error != cudaSuccess) return error;
    if (flags != cudaEventWaitDefault) return call.fail(cudaErrorInvalidValue, "unknown flags");
    call.rt.scheduler->wait(stream, *event);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return device_call("cudaStreamGetFlags", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    const cudaError_t error = call.stream(handle, stream);
    if (error != cudaSuccess) return error;
    if (flags == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
    *flags = stream->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return device_call("cudaDeviceGetStreamPriorityRange", [&](const Call&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return device_call("cudaLaunchHostFunc", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    const cudaError_t error = call.stream(handle, stream);
    if (error != cudaSuccess) return error;
    if (function == nullptr) return call.fail(cudaErrorInvalidValue, "null function");
    call.rt.scheduler->issue(stream, "cudaLaunchHostFunc", [function, data] {
      function(data);
      return cudaSuccess;
    });
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* out) {
  return device_call("cudaEventCreate",
                     [&](const Call& call) { return create_event(call, out, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  return device_call("cudaEventCreateWithFlags",
                     [&](const Call& call) { return create_event(call, out, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return device_call("cudaEventDestroy", [&](const Call& call) {
    std::shared_ptr<Event> event;
    const cudaError_t error = call.event(handle, event);
    if (error == cudaSuccess) call.rt.scheduler->destroy_event(*event);
    return error;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event_handle, cudaStream_t handle) {
  return device_call("cudaEventRecord", [&](const Call& call) {
    std::shared_ptr<Stream> stream;
    std::shared_ptr<Event> event;
    cudaError_t error = call.stream(handle, stream);
    if (error == cudaSuccess) error = call.event(event_handle, event);
    if (error == cudaSuccess) call.rt.scheduler->record(stream, *event);
    return error;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return device_call("cudaEventSynchronize", [&](const Call& call) {
    std::shared_ptr<Event> event;
    const cudaError_t error = call.event(handle, event);
    if (error != cudaSuccess || !event->latest) return error;
    ++call.rt.counters.synchronisations;
    call.rt.scheduler->synchronise(*event->latest);
    return call.rt.scheduler->failure();
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return device_call("cudaEventQuery", [&](const Call& call) {
    std::shared_ptr<Event> event;
    const cudaError_t error = call.event(handle, event);
    if (error != cudaSuccess || !event->latest) return error;
    const bool done = call.rt.scheduler->progress(*event->latest);
    if (call.rt.scheduler->failure() != cudaSuccess) return call.rt.scheduler->failure();
    return done ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return device_call("cudaEventElapsedTime", [&](const Call& call) {
    if (milliseconds == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
    std::shared_ptr<Event> first;
    std::shared_ptr<Event> second;
    cudaError_t error = timed(call, start, first);
    if (error == cudaSuccess) error = timed(call, end, second);
    if (error != cudaSuccess) return error;
    const std::chrono::duration<float, std::milli> elapsed =
        second->latest->time - first->latest->time;
    *milliseconds = elapsed.count();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return device_call("cudaDeviceSynchronize", [&](const Call& call) {
    ++call.rt.counters.synchronisations;
    call.rt.scheduler->synchronise_device(thread_state().device);
    return call.rt.scheduler->failure();
  });
}

}  // extern "C"
