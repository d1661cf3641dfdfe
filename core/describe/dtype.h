#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headroom {

enum class DType : std::uint8_t {
  kF32,
  kTf32,
  kBf16,
  kF16,
  kF8e4m3,
  kF8e5m2,
  kF64,
  kI32,
  kU16,
  kU8
};

/// Facts about one dtype. The fields below `largest` are 0 for integers, as are the bit counts.
struct DTypeInfo {
  DType dtype;
  std::string_view name;
  int bytes;          ///< storage size of one element; tf32 is stored in 4 bytes
  int exponent_bits;  ///< 0 for integers
  int mantissa_bits;  ///< stored fraction bits, without the hidden one; 0 for integers
  double largest;     ///< largest finite value
  double smallest_normal;
  double smallest_subnormal;
  double epsilon;  ///< distance from 1 to the next larger value
  std::string_view note;
};

/// Every dtype in the order of the enum.
[[nodiscard]] const std::array<DTypeInfo, 10>& all_dtypes();
[[nodiscard]] const DTypeInfo& info(DType dtype);
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] int size_of(DType dtype);
[[nodiscard]] bool is_float(DType dtype);
/// Also accepts the long names people type: `float32`, `bfloat16`, `half`, `fp8_e4m3`, `int32`, ...
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

}  // namespace headroom
