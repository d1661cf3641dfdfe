#pragma once

#include "core/describe/dtype.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headroom::io {

/// A dtype of the safetensors format.
struct SafetensorsDType {
  std::string_view name;
  std::int64_t bytes;
  std::optional<DType> dtype;
};

/// Nothing for a name that the format does not have or whose elements are no whole bytes.
[[nodiscard]] const SafetensorsDType* find_safetensors_dtype(std::string_view name);
[[nodiscard]] const SafetensorsDType& safetensors_dtype(DType dtype);

}  // namespace headroom::io
