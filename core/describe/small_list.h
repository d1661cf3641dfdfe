#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>

namespace headroom {

/// A list of at most N values held in place, so that describing a step touches no heap.
template <class T, std::size_t N>
class SmallList {
 public:
  constexpr SmallList() = default;
  constexpr SmallList(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }

  constexpr void push_back(const T& value) {
    if (size_ == N) throw std::length_error("SmallList: capacity exceeded");
    values_[size_++] = value;
  }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](std::size_t i) { return values_[i]; }
  constexpr const T& operator[](std::size_t i) const { return values_[i]; }
  constexpr T* begin() { return values_.data(); }
  constexpr T* end() { return values_.data() + size_; }
  constexpr const T* begin() const { return values_.data(); }
  constexpr const T* end() const { return values_.data() + size_; }
  [[nodiscard]] constexpr const T* data() const { return values_.data(); }

 private:
  std::array<T, N> values_{};
  std::size_t size_ = 0;
};

}  // namespace headroom
