#include "trainer/data/element_type.h"

#include <array>

namespace headroom::trainer {
namespace {

constexpr std::array<std::string_view, 11> kNames = {"u8",  "i8",  "u16", "i16", "u32", "i32",
                                                     "u64", "i64", "f16", "f32", "f64"};

}  // namespace

std::string_view name(ElementType type) { return kNames[static_cast<std::size_t>(type)]; }

std::size_t size_of(ElementType type) {
  return visit_type(type, [](auto tag) { return sizeof(typename decltype(tag)::type); });
}

bool is_integer(ElementType type) { return type <= ElementType::kI64; }

std::optional<ElementType> element_type(DType dtype) {
  switch (dtype) {
    case DType::kU8:
      return ElementType::kU8;
    case DType::kU16:
      return ElementType::kU16;
    case DType::kI32:
      return ElementType::kI32;
    case DType::kF16:
      return ElementType::kF16;
    case DType::kF32:
      return ElementType::kF32;
    case DType::kF64:
      return ElementType::kF64;
    case DType::kTf32:
    case DType::kBf16:
    case DType::kF8e4m3:
    case DType::kF8e5m2:
      break;
  }
  return std::nullopt;
}

}  // namespace headroom::trainer
