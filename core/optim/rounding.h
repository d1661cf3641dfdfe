#pragma once

#include "core/describe/float_bits.h"
#include "core/runtime/backend.h"
#include "core/runtime/random/philox.h"

#include <cstdint>

namespace headroom::optim::HEADROOM_KERNELS {

/// Updated values are rounded to the nearest number their storage has.
struct Nearest {
  static constexpr bool kStochastic = false;
};

/// Updated values are rounded up or down at random, so that steps too small for bf16 still count on
/// average. Random bits are a function of seed, step, parameter and element: no thread count and no
/// restart changes them.
class Stochastic {
 public:
  static constexpr bool kStochastic = true;

  explicit Stochastic(const runtime::KernelContext& context)
      : stream_(context.scalars().seed, stream_of(context)) {}

  /// The elements of one row, the first of which is number `begin` of the parameter.
  struct Row {
    runtime::RandomStream stream;
    std::int64_t begin;

    /// Rounds up to eight values, 16 random bits each.
    template <class... Value>
    HEADROOM_HD void operator()(std::int32_t i, Value&... value) const {
      static_assert(sizeof...(Value) <= 8);
      const runtime::PhiloxBlock random = stream.block(static_cast<std::uint64_t>(begin + i));
      int k = 0;
      ((value = rounded(value, random.words[k / 2] >> (k % 2 * 16)), ++k), ...);
    }
    [[nodiscard]] static HEADROOM_HD float rounded(float value, std::uint32_t random) {
      return bf16_bits_to_float(float_to_bf16_bits_stochastic(value, random));
    }
  };
  [[nodiscard]] HEADROOM_HD Row row(std::int64_t begin) const { return {stream_, begin}; }

 private:
  /// Parameters have small numbers and steps take the upper half, so that no two meet.
  static std::uint64_t stream_of(const runtime::KernelContext& context) {
    const auto step = static_cast<std::uint64_t>(context.scalars().step);
    const auto parameter = static_cast<std::uint64_t>(context.write_id(0).value);
    return step << 32 | parameter;
  }

  runtime::RandomStream stream_;
};

}  // namespace headroom::optim::HEADROOM_KERNELS
