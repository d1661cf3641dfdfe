#pragma once

#include "core/runtime/device.h"

#include <memory>

namespace headroom::runtime {

/// GPU number `index`. Work runs on one stream and uploads on another, so that a batch travels
/// while the one before it is being computed; events keep the two in order. Errors: CudaError when
/// the GPU refuses (see why_unusable for reasons known beforehand).
[[nodiscard]] std::unique_ptr<Device> make_cuda_device(int index);

}  // namespace headroom::runtime
