#pragma once

#include "core/describe/units.h"
#include "core/runtime/device.h"

#include <functional>
#include <string>
#include <vector>

namespace headroom::trainer {

/// One timed matrix product.
struct MeasuredProduct {
  DType dtype = DType::kF32;
  std::int64_t m = 0, n = 0, k = 0;
  FlopsPerSecond rate;
};

struct DeviceMeasurement {
  std::vector<MeasuredProduct> products;
  BytesPerSecond bandwidth;  ///< bytes read plus bytes written by a copy that no cache holds
};

struct MeasureOptions {
  std::vector<DType> dtypes = {DType::kF32};
  Seconds per_size{0.1};       ///< at least this long for each product
  Bytes copy_size{256 << 20};  ///< larger than the caches
  bool large = false;          ///< also sizes that only a GPU does in reasonable time
};

/// Times square products and the flat ones of training, and a copy. `progress` is told what is
/// measured next. Errors: OutOfMemory.
[[nodiscard]] DeviceMeasurement measure_device(
    runtime::Device& device,
    const MeasureOptions& options,
    const std::function<void(const std::string&)>& progress);

}  // namespace headroom::trainer
