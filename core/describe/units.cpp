#include "core/describe/units.h"

#include "core/describe/error.h"

namespace headroom {

std::int64_t checked_multiply(std::int64_t a, std::int64_t b, const std::string& what) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw ShapeError(what + ": " + std::to_string(a) + " x " + std::to_string(b) +
                     " is larger than any machine can address");
  }
  return product;
}

}  // namespace headroom
