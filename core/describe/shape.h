#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace headroom {

/// One named dimension. The name must outlive the shape (string literals and plan words do).
struct Dim {
  std::string_view name;
  std::int64_t size = 0;
  friend bool operator==(const Dim&, const Dim&) = default;
};

/// Sizes of a row-major tensor, each with a name. At most kMaxRank dimensions, no heap.
/// Errors: ShapeError on a negative size, on too many dimensions, or when numel passes 2^63 - 1.
class Shape {
 public:
  static constexpr std::size_t kMaxRank = 8;

  Shape() = default;  ///< a scalar: no dimensions, one element
  Shape(std::initializer_list<Dim> dims);
  void append(Dim dim);

  [[nodiscard]] std::size_t rank() const { return rank_; }
  [[nodiscard]] const Dim& operator[](std::size_t i) const { return dims_[i]; }
  [[nodiscard]] const Dim* begin() const { return dims_.data(); }
  [[nodiscard]] const Dim* end() const { return dims_.data() + rank_; }
  [[nodiscard]] const Dim& back() const { return dims_[rank_ - 1]; }
  [[nodiscard]] std::int64_t numel() const { return numel_; }
  /// Elements per row when the last dimension is the row; 1 for a scalar.
  [[nodiscard]] std::int64_t columns() const { return rank_ == 0 ? 1 : back().size; }
  /// numel / columns; 0 when the last dimension is 0.
  [[nodiscard]] std::int64_t rows() const { return columns() == 0 ? 0 : numel_ / columns(); }
  /// Position of a dimension by name, or -1.
  [[nodiscard]] int find(std::string_view name) const;
  /// Same sizes, whatever the names.
  [[nodiscard]] bool same_sizes(const Shape& other) const;
  friend bool operator==(const Shape& a, const Shape& b);

 private:
  std::array<Dim, kMaxRank> dims_{};
  std::size_t rank_ = 0;
  std::int64_t numel_ = 1;
};

/// `(batch 256, hidden 1024)`
[[nodiscard]] std::string to_string(const Shape& shape);

}  // namespace headroom
