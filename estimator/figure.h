#pragma once

#include "core/describe/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::estimator {

/// How far a figure can be trusted.
enum class Standing : std::uint8_t {
  kPublished,  ///< printed by the vendor or by the source named
  kMeasured,   ///< read from a device or a benchmark
  kDerived,    ///< our arithmetic on published figures
  kAssumed,    ///< a working value with a range; nobody published it for this device
  kUnchecked,  ///< from memory or a single secondary page
};
[[nodiscard]] std::string_view name(Standing standing);
[[nodiscard]] std::optional<Standing> standing_from_name(std::string_view name);

/// A number with the range it may lie in and where it comes from. low <= value <= high.
template <class Unit>
struct Figure {
  Unit value{};
  Unit low{};
  Unit high{};
  Standing standing = Standing::kPublished;
  std::string source;
  friend bool operator==(const Figure&, const Figure&) = default;
};

/// A figure without a range.
template <class Unit>
[[nodiscard]] Figure<Unit> exact_figure(Unit value, Standing standing, std::string source) {
  return {value, value, value, standing, std::move(source)};
}

/// Which end of every range a calculation takes. kBest is what gives the shortest time.
enum class Case : std::uint8_t { kBest, kTypical, kWorst };
inline constexpr std::size_t kCaseCount = 3;

/// For rates: the best case is the high end.
template <class Unit>
[[nodiscard]] Unit rate_at(const Figure<Unit>& figure, Case c) {
  return c == Case::kBest ? figure.high : c == Case::kWorst ? figure.low : figure.value;
}
/// For costs such as overheads: the best case is the low end.
template <class Unit>
[[nodiscard]] Unit cost_at(const Figure<Unit>& figure, Case c) {
  return c == Case::kBest ? figure.low : c == Case::kWorst ? figure.high : figure.value;
}

}  // namespace headroom::estimator
