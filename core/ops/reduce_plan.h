#pragma once

#include "core/ops/strided.h"

#include <cstdint>
#include <span>

namespace headroom::ops {

/// One dimension of a row-major array that is reduced.
struct ReducedDim {
  static constexpr std::int64_t kReduced = -1;
  std::int64_t size = 0;
  std::int64_t result_stride = 0;  ///< where it goes in the result, or kReduced
};

/// How an array is walked to reduce it. Arrays of `kept`: 0 the array, 1 the result.
struct ReducePlan {
  StridedWalk<2> kept;
  StridedWalk<1> reduced;
  /// True when the innermost, contiguous dimension is reduced: then a team sums a run of memory.
  /// Otherwise neighbours belong to different results, and a team adds run upon run.
  bool inner_reduced = false;
};
[[nodiscard]] ReducePlan plan_reduce(std::span<const ReducedDim> dims);

/// The way back: walks the array in its own order, with the matching element of the result.
/// Reduced dimensions repeat it.
[[nodiscard]] StridedWalk<1> plan_expand(std::span<const ReducedDim> dims);

}  // namespace headroom::ops
