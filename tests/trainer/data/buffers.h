#pragma once

#include "trainer/data/batch.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace headroom::test {

/// Owns the memory of one batch.
class Buffers {
 public:
  explicit Buffers(const trainer::BatchSpec& spec)
      : inputs_(static_cast<std::size_t>(spec.input_bytes().value() / 4)),
        targets_(static_cast<std::size_t>(spec.target_bytes().value() / 4)) {}

  [[nodiscard]] trainer::BatchBuffers view() {
    return {std::as_writable_bytes(std::span(inputs_)),
            std::as_writable_bytes(std::span(targets_))};
  }
  template <class T>
  [[nodiscard]] std::vector<T> inputs() const {
    return as<T>(inputs_);
  }
  template <class T>
  [[nodiscard]] std::vector<T> targets() const {
    return as<T>(targets_);
  }

 private:
  template <class T>
  static std::vector<T> as(const std::vector<std::uint32_t>& words) {
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    std::vector<T> values(words.size());
    std::memcpy(values.data(), words.data(), words.size() * sizeof(T));
    return values;
  }

  std::vector<std::uint32_t> inputs_, targets_;
};

}  // namespace headroom::test
