#pragma once

#include "core/describe/convert.h"
#include "core/describe/dtype.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace headroom::trainer {

static_assert(std::endian::native == std::endian::little,
              "data files are little-endian and are read without conversion");

/// How numbers are stored in a data file: wider than DType, since files hold what NumPy writes.
enum class ElementType : std::uint8_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kU64,
  kI64,
  kF16,
  kF32,
  kF64,
};

/// `u8`, `i64`, `f32`, ...
[[nodiscard]] std::string_view name(ElementType type);
[[nodiscard]] std::size_t size_of(ElementType type);
[[nodiscard]] bool is_integer(ElementType type);
/// The stored form of a plan's `data.dtype`; nothing for dtypes that data files do not hold.
[[nodiscard]] std::optional<ElementType> element_type(DType dtype);

/// Reads one value at an address of any alignment.
template <class T>
[[nodiscard]] T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls `visitor(TypeTag<T>{})` with the C++ type that stores `type`.
template <class Visitor>
decltype(auto) visit_type(ElementType type, Visitor&& visitor) {
  switch (type) {
    case ElementType::kU8:
      return visitor(TypeTag<std::uint8_t>{});
    case ElementType::kI8:
      return visitor(TypeTag<std::int8_t>{});
    case ElementType::kU16:
      return visitor(TypeTag<std::uint16_t>{});
    case ElementType::kI16:
      return visitor(TypeTag<std::int16_t>{});
    case ElementType::kU32:
      return visitor(TypeTag<std::uint32_t>{});
    case ElementType::kI32:
      return visitor(TypeTag<std::int32_t>{});
    case ElementType::kU64:
      return visitor(TypeTag<std::uint64_t>{});
    case ElementType::kI64:
      return visitor(TypeTag<std::int64_t>{});
    case ElementType::kF16:
      return visitor(TypeTag<f16>{});
    case ElementType::kF32:
      return visitor(TypeTag<float>{});
    case ElementType::kF64:
      break;
  }
  return visitor(TypeTag<double>{});
}

/// One stored value as a double; exact except for 64-bit integers past 2^53.
template <class T>
[[nodiscard]] double as_double(T value) {
  if constexpr (std::is_same_v<T, f16>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

}  // namespace headroom::trainer
