#pragma once

#include "core/describe/hd.h"

#include <cstdint>

namespace headroom::runtime::rows {

/// Cuts a flat array of `total` elements into rows, for programs that treat every element alike
/// (activations, optimizer updates): row r works on [begin(r), begin(r) + size(r)).
struct FlatRows {
  /// A multiple of every vector width, so that each row is as aligned as the array; small enough
  /// that a CPU core's share of a medium array is several rows.
  static constexpr std::int64_t kRow = 4096;

  std::int64_t total;

  [[nodiscard]] HEADROOM_HD std::int64_t rows() const { return (total + kRow - 1) / kRow; }
  [[nodiscard]] HEADROOM_HD std::int64_t begin(std::int64_t row) const { return row * kRow; }
  [[nodiscard]] HEADROOM_HD std::int64_t size(std::int64_t row) const {
    const std::int64_t left = total - row * kRow;
    return left < kRow ? left : kRow;
  }
};

}  // namespace headroom::runtime::rows
