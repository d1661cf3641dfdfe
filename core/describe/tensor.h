#pragma once

#include "core/describe/category.h"
#include "core/describe/dtype.h"
#include "core/describe/initializer.h"
#include "core/describe/shape.h"
#include "core/describe/small_list.h"
#include "core/describe/units.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace headroom {

/// A tensor's name in parts (`layers` . 3 . `weight`), joined only when somebody reads it.
/// The views must outlive the name; they are string literals or words of the plan.
struct TensorName {
  std::string_view stem;
  std::int32_t index = -1;  ///< layer number, or -1 for none
  std::string_view leaf;
  std::string_view suffix;  ///< e.g. `grad` or an optimizer state's name
};
[[nodiscard]] std::string to_string(const TensorName& name);

/// Position of a tensor in its step's table.
struct TensorId {
  std::int32_t value = -1;
  [[nodiscard]] constexpr bool none() const { return value < 0; }
  [[nodiscard]] constexpr std::size_t at() const { return static_cast<std::size_t>(value); }
  friend constexpr auto operator<=>(TensorId, TensorId) = default;
};

/// Shape and dtype: all an op needs to know to describe itself.
struct TensorType {
  Shape shape;
  DType dtype = DType::kF32;
  /// Payload bytes. Errors: ShapeError past 2^63 - 1.
  [[nodiscard]] Bytes bytes() const {
    return Bytes(checked_multiply(shape.numel(), size_of(dtype), "tensor bytes"));
  }
};
inline constexpr std::size_t kMaxOperands = 8;
using TensorTypes = SmallList<TensorType, kMaxOperands>;
using TensorIds = SmallList<TensorId, 3 * kMaxOperands>;

/// Which memory a tensor lives in: the device that computes, or pinned host memory beside it.
enum class Place : std::uint8_t { kDevice, kHost };

/// How long a tensor lives: for the whole run, or between its first and last use in a step.
enum class Lifetime : std::uint8_t { kRun, kStep };

/// One tensor of a step.
struct TensorInfo {
  TensorName name;
  TensorType type;
  Category category = Category::kActivations;
  Lifetime lifetime = Lifetime::kStep;
  Place place = Place::kDevice;
  Initializer initializer;  ///< of parameters and optimizer state
};

}  // namespace headroom
