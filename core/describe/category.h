#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headroom {

/// What a tensor is for. The same words in files, tables, logs and charts.
enum class Category : std::uint8_t {
  kParameters,
  kMasterParameters,
  kGradients,
  kOptimizerState,
  kActivations,
  kLogits,
  kTemporaries,
  kWorkspace,
  kCommunication,
  kInputs,
  kContext,
};
inline constexpr std::size_t kCategoryCount = 11;

/// When in a step something happens.
enum class Phase : std::uint8_t { kInit, kForward, kLoss, kBackward, kOptimizer };
inline constexpr std::size_t kPhaseCount = 5;

/// Snake-case names as in JSON keys: `master_parameters`, `optimizer_state`, ...
[[nodiscard]] std::string_view name(Category category);
[[nodiscard]] std::string_view name(Phase phase);
[[nodiscard]] std::optional<Category> category_from_name(std::string_view name);
[[nodiscard]] std::optional<Phase> phase_from_name(std::string_view name);

[[nodiscard]] constexpr std::array<Category, kCategoryCount> all_categories() {
  std::array<Category, kCategoryCount> all{};
  for (std::size_t i = 0; i < kCategoryCount; ++i) all[i] = static_cast<Category>(i);
  return all;
}

/// One value per category, e.g. bytes at the peak.
template <class T>
class PerCategory {
 public:
  constexpr T& operator[](Category c) { return values_[static_cast<std::size_t>(c)]; }
  constexpr const T& operator[](Category c) const { return values_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] constexpr T total() const {
    T sum{};
    for (const T& value : values_) sum += value;
    return sum;
  }
  friend constexpr bool operator==(const PerCategory&, const PerCategory&) = default;

 private:
  std::array<T, kCategoryCount> values_{};
};

}  // namespace headroom
