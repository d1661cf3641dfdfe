#pragma once

#include "tests/doubles/cuda/runtime.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <string>

namespace headroom::cuda_double {

/// What CUDA keeps per host thread.
struct ThreadState {
  cudaError_t last_error = cudaSuccess;
  int device = 0;
};
ThreadState& thread_state();

/// One entry into the double: holds the lock and knows the function's name for messages.
class Call {
 public:
  explicit Call(const char* name) : rt(runtime()), lock_(rt.mutex), name_(name) {}

  /// Notes a broken rule and passes the error on.
  cudaError_t fail(cudaError_t error, const std::string& why) const {
    violate(std::string(name_) + ": " + why);
    return error;
  }
  /// Whether there is a usable device, and this call may be made here.
  [[nodiscard]] cudaError_t readiness() const;
  /// The stream of a handle; fails on dead handles and, when so configured, on the default stream.
  cudaError_t stream(cudaStream_t handle, std::shared_ptr<Stream>& out) const;
  cudaError_t event(cudaEvent_t handle, std::shared_ptr<Event>& out) const;
  /// The default stream for the functions that use it without naming it.
  cudaError_t implicit_stream(std::shared_ptr<Stream>& out) const;

  Runtime& rt;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  const char* name_;
};

/// Stores an error for cudaGetLastError and returns it.
cudaError_t remember(cudaError_t error);

/// Runs the body of a function that needs a device.
template <class Body>
cudaError_t device_call(const char* name, Body&& body) {
  const Call call(name);
  const cudaError_t ready = call.readiness();
  return remember(ready == cudaSuccess ? body(call) : ready);
}

}  // namespace headroom::cuda_double
