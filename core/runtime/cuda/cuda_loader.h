#pragma once

#include "core/runtime/device.h"

#include <memory>
#include <string>

namespace headroom::runtime {

/// A CUDA device, or why there is none.
struct CudaAttempt {
  std::unique_ptr<Device> device;  ///< null if there is none
  std::string reason;              ///< what is missing and what to do; empty if there is a device
};

/// Loads the CUDA backend library and opens GPU number `index`. The library lies beside the
/// program and is loaded only here, so that the program starts on machines without CUDA. The
/// environment variable HEADROOM_CUDA_BACKEND names another file to load.
/// The library stays loaded until the program ends.
[[nodiscard]] CudaAttempt open_cuda_device(int index);

/// What the backend library exports under the name headroom_open_cuda_device. Returns a device, or
/// null with a message of at most `length` bytes written to `reason`.
using OpenCudaDevice = Device* (*)(int index, char* reason, std::size_t length);

}  // namespace headroom::runtime
