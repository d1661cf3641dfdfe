#include "core/runtime/arena.h"

namespace headroom::runtime {

Arena::Arena(Device& device, Bytes size, Place place)
    : device_(device), size_(size), place_(place) {
  if (size_.value() > 0) memory_ = device_.allocate(size_, place_);
}

Arena::~Arena() {
  if (memory_ == nullptr) return;
  device_.permit(memory_, size_);
  device_.release(memory_, place_);
}

}  // namespace headroom::runtime
