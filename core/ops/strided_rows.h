#pragma once

#include "core/ops/strided.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {

namespace rows = runtime::rows;

/// Cuts the innermost dimension of a walk into tiles, so that there are rows to share out even
/// where the walk has a single long dimension.
template <int kArrays>
struct WalkTiles {
  static constexpr std::int64_t kTile = 4096;

  StridedWalk<kArrays> walk;

  [[nodiscard]] HEADROOM_HD std::int64_t tiles() const {
    return (walk.inner_size() + kTile - 1) / kTile;
  }
  [[nodiscard]] HEADROOM_HD std::int64_t rows() const { return walk.outer_count() * tiles(); }
  [[nodiscard]] HEADROOM_HD std::int64_t row_elements() const {
    return walk.inner_size() < kTile ? walk.inner_size() : kTile;
  }
  [[nodiscard]] HEADROOM_HD std::int64_t outer(std::int64_t row) const { return row / tiles(); }
  [[nodiscard]] HEADROOM_HD std::int64_t begin(std::int64_t row) const {
    return row % tiles() * kTile;
  }
  [[nodiscard]] HEADROOM_HD std::int64_t size(std::int64_t row) const {
    const std::int64_t left = walk.inner_size() - begin(row);
    return left < kTile ? left : kTile;
  }
  /// Where a row starts in the array that the walk follows contiguously.
  [[nodiscard]] HEADROOM_HD std::int64_t place(std::int64_t row) const {
    return outer(row) * walk.inner_size() + begin(row);
  }
  /// Where it starts in one of the strided arrays.
  [[nodiscard]] HEADROOM_HD std::int64_t offset(int array, std::int64_t row) const {
    return walk.offset(array, outer(row), 1) + begin(row) * walk.inner_stride(array);
  }
};

/// y (+)= scale * x, x read as the walk says: permutes, repeats, copies.
template <class T>
struct ExpandRows {
  using A = rows::Accumulate<T>;

  const T* x;  ///< nullptr for ones
  T* y;
  WalkTiles<1> tiles;
  A scale;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return tiles.row_elements(); }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t n = tiles.size(row);
    const std::int64_t stride = x == nullptr ? 0 : tiles.walk.inner_stride(0);
    const T* from = x == nullptr ? nullptr : x + tiles.offset(0, row);
    T* to = y + tiles.place(row);
    const A k = scale;
    if (stride == 0) {
      const A value = from == nullptr ? k : k * static_cast<A>(*from);
      if (accumulate) {
        team.apply(
            n, [=](A& v) { v += value; }, rows::inout(to));
      } else {
        team.apply(
            n, [=](A& v) { v = value; }, rows::out(to));
      }
    } else if (stride == 1) {
      if (accumulate) {
        team.apply(
            n, [=](A& v, A e) { v += k * e; }, rows::inout(to), rows::in(from));
      } else {
        team.map(
            n, to, [=](A e) { return k * e; }, rows::in(from));
      }
    } else {
      const bool add = accumulate;
      team.for_each(n, [=](std::int64_t i) {
        const A value = k * static_cast<A>(from[i * stride]);
        to[i] = static_cast<T>(add ? static_cast<A>(to[i]) + value : value);
      });
    }
  }
};

template <class T>
void expand(runtime::Backend& backend,
            const StridedWalk<1>& walk,
            const T* x,
            T* y,
            rows::Accumulate<T> scale,
            bool accumulate) {
  const WalkTiles<1> tiles{walk};
  backend.rows(ExpandRows<T>{x, y, tiles, scale, accumulate}, tiles.rows());
}

/// y (+)= a * b, both read as the walk says.
template <class T>
struct MultiplyRows {
  using A = rows::Accumulate<T>;

  const T* a;
  const T* b;
  T* y;
  WalkTiles<2> tiles;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return tiles.row_elements(); }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t n = tiles.size(row);
    const std::int64_t a_stride = tiles.walk.inner_stride(0);
    const std::int64_t b_stride = tiles.walk.inner_stride(1);
    const T* left = a + tiles.offset(0, row);
    const T* right = b + tiles.offset(1, row);
    T* to = y + tiles.place(row);
    const bool add = accumulate;
    if (a_stride == 1 && b_stride == 1) {
      if (add) {
        team.apply(
            n, [](A& v, A l, A r) { v += l * r; }, rows::inout(to), rows::in(left),
            rows::in(right));
      } else {
        team.map(
            n, to, [](A l, A r) { return l * r; }, rows::in(left), rows::in(right));
      }
    } else if (a_stride + b_stride == 1) {
      const A factor = static_cast<A>(a_stride == 0 ? *left : *right);
      const T* along = a_stride == 0 ? right : left;
      if (add) {
        team.apply(
            n, [=](A& v, A e) { v += factor * e; }, rows::inout(to), rows::in(along));
      } else {
        team.map(
            n, to, [=](A e) { return factor * e; }, rows::in(along));
      }
    } else {
      team.for_each(n, [=](std::int64_t i) {
        const A value = static_cast<A>(left[i * a_stride]) * static_cast<A>(right[i * b_stride]);
        to[i] = static_cast<T>(add ? static_cast<A>(to[i]) + value : value);
      });
    }
  }
};

template <class T>
void multiply(runtime::Backend& backend,
              const StridedWalk<2>& walk,
              const T* a,
              const T* b,
              T* y,
              bool accumulate) {
  const WalkTiles<2> tiles{walk};
  backend.rows(MultiplyRows<T>{a, b, y, tiles, accumulate}, tiles.rows());
}

}  // namespace headroom::ops::HEADROOM_KERNELS
