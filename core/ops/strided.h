#pragma once

#include "core/describe/hd.h"
#include "core/describe/shape.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace headroom::ops {

/// Dimensions walked in row-major order, with a stride (in elements) per array and dimension; 0
/// repeats an element. Plain data that row programs carry to the device.
template <int kArrays>
struct StridedWalk {
  static constexpr int kMaxRank = static_cast<int>(Shape::kMaxRank);

  int rank = 0;
  std::int64_t size[kMaxRank] = {};
  std::int64_t stride[kArrays][kMaxRank] = {};

  /// Adds a dimension inside those there. Dimensions of size 1 are dropped, and two that all arrays
  /// hold as if they were one become one.
  void append(std::int64_t n, const std::array<std::int64_t, kArrays>& strides) {
    if (n == 1) return;
    bool merges = rank > 0;
    for (int a = 0; merges && a < kArrays; ++a) {
      merges = stride[a][rank - 1] == strides[static_cast<std::size_t>(a)] * n;
    }
    if (merges) {
      size[rank - 1] *= n;
    } else {
      size[rank++] = n;
    }
    for (int a = 0; a < kArrays; ++a) stride[a][rank - 1] = strides[static_cast<std::size_t>(a)];
  }

  /// Points of the walk.
  [[nodiscard]] HEADROOM_HD std::int64_t count() const {
    std::int64_t product = 1;
    for (int d = 0; d < rank; ++d) product *= size[d];
    return product;
  }
  /// The innermost dimension; a single point if there is none.
  [[nodiscard]] HEADROOM_HD std::int64_t inner_size() const {
    return rank == 0 ? 1 : size[rank - 1];
  }
  [[nodiscard]] HEADROOM_HD std::int64_t inner_stride(int array) const {
    return rank == 0 ? 1 : stride[array][rank - 1];
  }
  /// Walks of all but the innermost dimension.
  [[nodiscard]] HEADROOM_HD std::int64_t outer_count() const {
    std::int64_t product = 1;
    for (int d = 0; d < rank - 1; ++d) product *= size[d];
    return product;
  }

  /// Where point `index` lies in an array; `inner` leaves out that many innermost dimensions.
  [[nodiscard]] HEADROOM_HD std::int64_t offset(int array,
                                                std::int64_t index,
                                                int inner = 0) const {
    std::int64_t result = 0;
    for (int d = rank - 1 - inner; d >= 0; --d) {
      result += index % size[d] * stride[array][d];
      index /= size[d];
    }
    return result;
  }
};

}  // namespace headroom::ops
