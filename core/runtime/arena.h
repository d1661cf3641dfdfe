#pragma once

#include "core/runtime/device.h"

#include <cstddef>
#include <cstdint>

namespace headroom::runtime {

/// One block of memory that holds tensors at planned offsets; freed with the object.
/// Errors: OutOfMemory when the device cannot give it.
class Arena {
 public:
  Arena(Device& device, Bytes size, Place place);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] void* at(std::int64_t offset) const {
    return static_cast<std::byte*>(memory_) + offset;
  }
  [[nodiscard]] Bytes size() const { return size_; }

 private:
  Device& device_;
  Bytes size_;
  Place place_;
  void* memory_ = nullptr;
};

}  // namespace headroom::runtime
