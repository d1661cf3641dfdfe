#pragma once

#include "core/describe/units.h"
#include "core/runtime/device.h"

#include <cstdint>

namespace headroom::trainer {

/// Timing of one matrix product repeated on a device.
struct MatmulTiming {
  Seconds median;            ///< of the repetitions
  FlopsPerSecond rate;       ///< at the median
  FlopsPerSecond best_rate;  ///< of the fastest repetition: what the device can do undisturbed
};

/// Times C (m,n) = A (m,k) x B (k,n) on the device: one warm-up, then repetitions until `at_least`
/// has passed (and three at least). The operands hold random values, since products of zeros run
/// faster on some devices. Errors: OutOfMemory, Error if the device has no product in `dtype`.
[[nodiscard]] MatmulTiming time_matmul(runtime::Device& device,
                                       DType dtype,
                                       std::int64_t m,
                                       std::int64_t n,
                                       std::int64_t k,
                                       Seconds at_least);

/// Bytes read plus bytes written per second by a copy of `size` bytes on the device.
[[nodiscard]] BytesPerSecond time_copy(runtime::Device& device, Bytes size, Seconds at_least);

}  // namespace headroom::trainer
