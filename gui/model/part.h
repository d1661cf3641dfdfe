#pragma once

#include "core/describe/category.h"

#include <QString>
#include <cstddef>

namespace headroom::gui {

/// A part of a device's memory: one of the categories, or the packing that no tensor fills
/// (rounding and gaps between tensors).
class Part {
 public:
  constexpr Part() = default;
  constexpr Part(Category category) : index_(static_cast<std::size_t>(category)) {}  // NOLINT
  [[nodiscard]] static constexpr Part packing() {
    Part part;
    part.index_ = kCategoryCount;
    return part;
  }
  [[nodiscard]] constexpr std::size_t index() const { return index_; }
  [[nodiscard]] constexpr bool is_packing() const { return index_ == kCategoryCount; }
  friend constexpr bool operator==(Part, Part) = default;

 private:
  std::size_t index_ = 0;
};
inline constexpr std::size_t kPartCount = kCategoryCount + 1;

/// `optimizer state`, `packing`.
[[nodiscard]] QString label(Part part);
/// One sentence: what this part of memory is.
[[nodiscard]] QString meaning(Part part);

}  // namespace headroom::gui
