#include "tests/doubles/cuda/api.h"

namespace headroom::cuda_double {

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) thread_state().last_error = error;
  return error;
}

cudaError_t Call::readiness() const {
  if (rt.config.driver_version < CUDART_VERSION / 1000 * 1000) return cudaErrorInsufficientDriver;
  if (rt.config.devices == 0) return cudaErrorNoDevice;
  // The lock is held while work runs, so only the work itself can come here in that state.
  if (rt.scheduler->running()) {
    return fail(cudaErrorNotPermitted, "called from a function that runs on a stream");
  }
  return rt.scheduler->failure();
}

cudaError_t Call::stream(cudaStream_t handle, std::shared_ptr<Stream>& out) const {
  if (handle == cudaStreamPerThread) {
    return fail(cudaErrorNotSupported, "the per-thread default stream is not modelled");
  }
  if (handle == nullptr || handle == cudaStreamLegacy) {
    if (rt.config.reject_default_stream) {
      return fail(cudaErrorInvalidResourceHandle,
                  "uses the default stream, which default_stream=reject forbids");
    }
    out = rt.scheduler->default_stream(thread_state().device);
    return cudaSuccess;
  }
  out = rt.scheduler->find_stream(handle);
  if (out == nullptr) {
    return fail(cudaErrorInvalidResourceHandle, "the stream was destroyed or never created");
  }
  return cudaSuccess;
}

cudaError_t Call::implicit_stream(std::shared_ptr<Stream>& out) const {
  return stream(nullptr, out);
}

cudaError_t Call::event(cudaEvent_t handle, std::shared_ptr<Event>& out) const {
  out = rt.scheduler->find_event(handle);
  if (out == nullptr) {
    return fail(cudaErrorInvalidResourceHandle, "the event was destroyed or never created");
  }
  return cudaSuccess;
}

}  // namespace headroom::cuda_double
