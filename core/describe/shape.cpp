#include "core/describe/shape.h"

#include "core/describe/error.h"
#include "core/describe/units.h"

#include <algorithm>

namespace headroom {

Shape::Shape(std::initializer_list<Dim> dims) {
  for (const Dim& dim : dims) append(dim);
}

void Shape::append(Dim dim) {
  if (dim.size < 0) {
    throw ShapeError("dimension " + std::string(dim.name) + ": got " + std::to_string(dim.size) +
                     ", a size cannot be negative");
  }
  if (rank_ == kMaxRank) {
    throw ShapeError("a tensor has at most " + std::to_string(kMaxRank) + " dimensions");
  }
  numel_ = checked_multiply(numel_, dim.size, "number of elements");
  dims_[rank_++] = dim;
}

int Shape::find(std::string_view name) const {
  for (std::size_t i = 0; i < rank_; ++i) {
    if (dims_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

bool Shape::same_sizes(const Shape& other) const {
  return rank_ == other.rank_ &&
         std::equal(begin(), end(), other.begin(),
                    [](const Dim& a, const Dim& b) { return a.size == b.size; });
}

bool operator==(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (const Dim& dim : shape) {
    if (text.size() > 1) text += ", ";
    if (!dim.name.empty()) text += std::string(dim.name) + ' ';
    text += std::to_string(dim.size);
  }
  return text + ')';
}

}  // namespace headroom
