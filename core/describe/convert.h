#pragma once

#include "core/describe/dtype.h"
#include "core/describe/float_bits.h"
#include "core/describe/hd.h"

#include <cstdint>

namespace headroom {

/// Storage of one bf16 number: convert to float, compute, convert back. Copying bytes copies it.
struct bf16 {
  std::uint16_t bits;
  bf16() = default;
  HEADROOM_HD explicit bf16(float value) : bits(float_to_bf16_bits(value)) {}
  HEADROOM_HD explicit operator float() const { return bf16_bits_to_float(bits); }
  [[nodiscard]] static HEADROOM_HD bf16 from_bits(std::uint16_t bits) {
    bf16 result;
    result.bits = bits;
    return result;
  }
};

/// Storage of one IEEE half-precision number.
struct f16 {
  std::uint16_t bits;
  f16() = default;
  HEADROOM_HD explicit f16(float value) : bits(float_to_f16_bits(value)) {}
  HEADROOM_HD explicit operator float() const { return f16_bits_to_float(bits); }
  [[nodiscard]] static HEADROOM_HD f16 from_bits(std::uint16_t bits) {
    f16 result;
    result.bits = bits;
    return result;
  }
};

/// Storage of one OCP e4m3 ("fn") number. Saturates unless told otherwise.
struct f8e4m3 {
  std::uint8_t bits;
  f8e4m3() = default;
  HEADROOM_HD explicit f8e4m3(float value, Overflow overflow = Overflow::kSaturate)
      : bits(float_to_f8e4m3_bits(value, overflow)) {}
  HEADROOM_HD explicit operator float() const { return f8e4m3_bits_to_float(bits); }
  [[nodiscard]] static HEADROOM_HD f8e4m3 from_bits(std::uint8_t bits) {
    f8e4m3 result;
    result.bits = bits;
    return result;
  }
};

/// Storage of one OCP e5m2 number. Saturates unless told otherwise.
struct f8e5m2 {
  std::uint8_t bits;
  f8e5m2() = default;
  HEADROOM_HD explicit f8e5m2(float value, Overflow overflow = Overflow::kSaturate)
      : bits(float_to_f8e5m2_bits(value, overflow)) {}
  HEADROOM_HD explicit operator float() const { return f8e5m2_bits_to_float(bits); }
  [[nodiscard]] static HEADROOM_HD f8e5m2 from_bits(std::uint8_t bits) {
    f8e5m2 result;
    result.bits = bits;
    return result;
  }
};

namespace dtype_detail {
template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType kValue = DType::kF32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType kValue = DType::kF64;
};
template <>
struct DTypeOf<bf16> {
  static constexpr DType kValue = DType::kBf16;
};
template <>
struct DTypeOf<f16> {
  static constexpr DType kValue = DType::kF16;
};
template <>
struct DTypeOf<f8e4m3> {
  static constexpr DType kValue = DType::kF8e4m3;
};
template <>
struct DTypeOf<f8e5m2> {
  static constexpr DType kValue = DType::kF8e5m2;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType kValue = DType::kI32;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType kValue = DType::kU16;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType kValue = DType::kU8;
};
}  // namespace dtype_detail

/// The dtype a C++ type stores. Does not compile for a type that stores none. tf32 has no C++ type
/// of its own: its values are floats.
template <class T>
inline constexpr DType dtype_of = dtype_detail::DTypeOf<T>::kValue;

}  // namespace headroom
