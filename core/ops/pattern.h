#pragma once

#include "core/describe/tensor.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::ops {

/// A pattern over named dimensions: "batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2".
/// Every distinct name is a label; operands list labels, outermost dimension first.
struct Pattern {
  static constexpr std::size_t kMaxInputs = 2;
  static constexpr std::size_t kMaxLabels = kMaxInputs * Shape::kMaxRank;
  using Label = std::int8_t;
  using Labels = SmallList<Label, Shape::kMaxRank>;
  using Sizes = SmallList<std::int64_t, kMaxLabels>;

  std::string text;
  std::vector<std::string> names;  ///< of the labels, in order of appearance
  SmallList<Labels, kMaxInputs> inputs;
  Labels output;

  /// The sizes of the labels in these operands.
  /// Errors: ShapeError if ranks or sizes disagree with the pattern, or a size is 0.
  [[nodiscard]] Sizes bind(std::string_view op, std::span<const TensorType> operands) const;
  /// The output's shape; its dimension names live in this pattern.
  [[nodiscard]] Shape output_shape(const Sizes& sizes) const;
};

/// Reads a pattern. Names are letters, digits and underscores, separated by spaces; nothing after
/// the arrow means a scalar.
/// Errors: ShapeError `[op] "text", position n: ...` (positions count from 1).
[[nodiscard]] Pattern parse_pattern(std::string_view op, std::string_view text);

[[nodiscard]] inline bool contains(const Pattern::Labels& labels, Pattern::Label label) {
  for (Pattern::Label l : labels) {
    if (l == label) return true;
  }
  return false;
}

}  // namespace headroom::ops
