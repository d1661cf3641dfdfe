#include "core/io/safetensors_dtypes.h"

#include <array>

namespace headroom::io {
namespace {

constexpr std::array kAll = {
    SafetensorsDType{"F32", 4, DType::kF32},        SafetensorsDType{"F64", 8, DType::kF64},
    SafetensorsDType{"BF16", 2, DType::kBf16},      SafetensorsDType{"F16", 2, DType::kF16},
    SafetensorsDType{"F8_E4M3", 1, DType::kF8e4m3}, SafetensorsDType{"F8_E5M2", 1, DType::kF8e5m2},
    SafetensorsDType{"I32", 4, DType::kI32},        SafetensorsDType{"U16", 2, DType::kU16},
    SafetensorsDType{"U8", 1, DType::kU8},          SafetensorsDType{"BOOL", 1, std::nullopt},
    SafetensorsDType{"I8", 1, std::nullopt},        SafetensorsDType{"I16", 2, std::nullopt},
    SafetensorsDType{"U32", 4, std::nullopt},       SafetensorsDType{"I64", 8, std::nullopt},
    SafetensorsDType{"U64", 8, std::nullopt},       SafetensorsDType{"C64", 8, std::nullopt},
    SafetensorsDType{"F8_E8M0", 1, std::nullopt},
};

}  // namespace

const SafetensorsDType* find_safetensors_dtype(std::string_view name) {
  for (const SafetensorsDType& candidate : kAll) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

const SafetensorsDType& safetensors_dtype(DType dtype) {
  // tf32 is a way to multiply, not a way to store: its values are f32.
  const DType stored = dtype == DType::kTf32 ? DType::kF32 : dtype;
  for (const SafetensorsDType& candidate : kAll) {
    if (candidate.dtype == stored) return candidate;
  }
  return kAll[0];
}

}  // namespace headroom::io
