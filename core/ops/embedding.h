#pragma once

#include "core/describe/op.h"

#include <optional>

namespace headroom::ops {

/// y = table[token] [+ positions[t]], t being the place of the token in the last dimension.
/// Shapes: tokens (..., T) i32, table (V, C) [, positions (maxT, C), T <= maxT] -> y (..., T, C).
/// A token outside [0, V) gives a row of NaN and adds to no gradient.
/// Backward keeps the tokens alone. It sorts their places by token (stable, in the workspace) and
/// adds up the gradients of each table row in the order of the places: the same bits for any thread
/// count, without atomic operations. Rows that no token touches become 0, or stay as they are where
/// the gradient is added to.
/// FLOPs: forward one per element with positions, else none; backward one per element and gradient.
class Embedding final : public Op {
 public:
  struct Options {
    bool positions = false;
    std::optional<DType> dtype = {};  ///< of y; that of the table unless set
  };
  static constexpr std::string_view kName = "embedding";
  enum Input : std::uint8_t { kTokens, kTable, kPositions };

  explicit Embedding(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes backward_workspace(std::span<const TensorType> inputs,
                                         GradientMask wanted) const override;
  [[nodiscard]] bool differentiable(std::size_t input) const override { return input != kTokens; }

 private:
  Options options_;
};

/// How the places of tokens are sorted by token: by digits from the lowest on, each pass counting
/// and then moving `kChunks` contiguous shares at the same time.
struct TokenSort {
  static constexpr int kDigitBits = 6;
  static constexpr std::int64_t kDigits = 1 << kDigitBits;
  static constexpr std::int64_t kChunks = 128;

  std::int64_t tokens;
  std::int64_t table_rows;

  /// Keys are 0 to table_rows, which stands for every token outside the table.
  [[nodiscard]] int passes() const;
  /// i32 values in the workspace: the places twice, a counter per digit and chunk, one per digit.
  [[nodiscard]] std::int64_t workspace_elements() const {
    return 2 * tokens + kDigits * kChunks + kDigits;
  }
};

}  // namespace headroom::ops
