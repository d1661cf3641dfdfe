#include "core/describe/convert.h"

#include "tests/core/describe/float_format.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

namespace headroom {
namespace {

using testing::FloatFormat;

constexpr float kInf = std::numeric_limits<float>::infinity();

float up(float x) { return std::nextafter(x, kInf); }
float down(float x) { return std::nextafter(x, -kInf); }

/// One format: its definition and the functions under test.
struct Codec {
  const char* name;
  FloatFormat format;
  float (*decode)(std::uint32_t code);
  std::uint32_t (*encode)(float value);    ///< too large becomes infinity or NaN
  std::uint32_t (*saturate)(float value);  ///< too large becomes the largest; null if not offered
};

const Codec kCodecs[] = {
    {"bf16", testing::kBf16Format,
     [](std::uint32_t c) { return bf16_bits_to_float(static_cast<std::uint16_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_bf16_bits(v); }, nullptr},
    {"f16", testing::kF16Format,
     [](std::uint32_t c) { return f16_bits_to_float(static_cast<std::uint16_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_f16_bits(v); }, nullptr},
    {"f8e4m3", testing::kF8e4m3Format,
     [](std::uint32_t c) { return f8e4m3_bits_to_float(static_cast<std::uint8_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_f8e4m3_bits(v, Overflow::kSpecial); },
     [](float v) -> std::uint32_t { return float_to_f8e4m3_bits(v); }},
    {"f8e5m2", testing::kF8e5m2Format,
     [](std::uint32_t c) { return f8e5m2_bits_to_float(static_cast<std::uint8_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_f8e5m2_bits(v, Overflow::kSpecial); },
     [](float v) -> std::uint32_t { return float_to_f8e5m2_bits(v); }},
};

/// Counts instead of asserting each of millions of cases, and remembers the first that failed.
class Tally {
 public:
  void check(bool good, float value, std::uint32_t got, std::uint32_t expected) {
    ++checked_;
    if (good) return;
    if (failed_++ == 0) {
      BOOST_TEST_MESSAGE("first failure: value " << value << " bits " << std::hex
                                                 << float_to_bits(value) << " got " << got
                                                 << " expected " << expected << std::dec);
    }
  }
  void check(float value, std::uint32_t got, std::uint32_t expected) {
    check(got == expected, value, got, expected);
  }
  [[nodiscard]] long checked() const { return checked_; }
  [[nodiscard]] long failed() const { return failed_; }

 private:
  long checked_ = 0, failed_ = 0;
};

BOOST_AUTO_TEST_SUITE(convert)

BOOST_AUTO_TEST_CASE(every_pattern_decodes_to_the_value_its_definition_gives) {
  for (const Codec& codec : kCodecs) {
    Tally tally;
    for (std::uint32_t code = 0; code < 2 * codec.format.sign_bit(); ++code) {
      const float got = codec.decode(code);
      const double expected = codec.format.value(code);
      const bool same = std::isnan(expected)
                            ? std::isnan(got)
                            : got == expected && std::signbit(got) == std::signbit(expected);
      tally.check(same, got, float_to_bits(got), code);
    }
    BOOST_TEST(
        tally.checked() == 1L << (1 + codec.format.exponent_bits + codec.format.mantissa_bits),
        codec.name);
    BOOST_TEST(tally.failed() == 0, codec.name);
  }
}

BOOST_AUTO_TEST_CASE(every_pattern_survives_decode_and_encode_even_nan_payloads) {
  for (const Codec& codec : kCodecs) {
    Tally tally;
    for (std::uint32_t code = 0; code < 2 * codec.format.sign_bit(); ++code) {
      const float value = codec.decode(code);
      tally.check(value, codec.encode(value), code);
      if (codec.saturate != nullptr && !std::isinf(value)) {
        tally.check(value, codec.saturate(value), code);
      }
    }
    BOOST_TEST(tally.failed() == 0, codec.name);
  }
}

BOOST_AUTO_TEST_CASE(rounds_to_nearest_even_at_and_beside_every_midpoint) {
  for (const Codec& codec : kCodecs) {
    Tally tally;
    const std::uint32_t sign = codec.format.sign_bit();
    const auto check = [&](float value, std::uint32_t magnitude) {
      tally.check(value, codec.encode(value), magnitude);
      tally.check(-value, codec.encode(-value), magnitude | sign);
      if (codec.saturate == nullptr) return;
      const std::uint32_t kept = std::min(magnitude, codec.format.largest_code());
      tally.check(value, codec.saturate(value), kept);
      tally.check(-value, codec.saturate(-value), kept | sign);
    };
    // The last pair is the largest finite value and the power of two or step that follows it.
    for (std::uint32_t code = 0; code <= codec.format.largest_code(); ++code) {
      const double below = codec.format.plain_value(code);
      const double above = codec.format.plain_value(code + 1);
      const auto middle = static_cast<float>((below + above) / 2);
      BOOST_REQUIRE(static_cast<double>(middle) == (below + above) / 2);
      check(middle, code % 2 == 0 ? code : code + 1);
      check(down(middle), code);
      check(up(middle), code + 1);
      check(up(static_cast<float>(below)), code);
      if (code < codec.format.largest_code()) check(down(static_cast<float>(above)), code + 1);
    }
    BOOST_TEST(tally.failed() == 0, codec.name);
  }
}

BOOST_AUTO_TEST_CASE(random_floats_go_to_the_nearest_code) {
  std::mt19937 generator(20240607);
  for (const Codec& codec : kCodecs) {
    Tally tally;
    for (int i = 0; i < 200000; ++i) {
      const float value = bits_to_float(static_cast<std::uint32_t>(generator()));
      const std::uint32_t got = codec.encode(value);
      if (std::isnan(value)) {
        tally.check(std::isnan(codec.decode(got)), value, got, 0);
        continue;
      }
      const std::uint32_t magnitude = codec.format.nearest_magnitude(std::abs(value));
      tally.check(value, got, magnitude | (std::signbit(value) ? codec.format.sign_bit() : 0));
    }
    BOOST_TEST(tally.failed() == 0, codec.name);
  }
}

BOOST_AUTO_TEST_CASE(f16_agrees_with_the_compilers_half_type) {
  Tally tally;
  for (std::uint32_t code = 0; code < 0x10000u; ++code) {
    const auto half = __builtin_bit_cast(_Float16, static_cast<std::uint16_t>(code));
    const float expected = static_cast<float>(half);
    const float got = f16_bits_to_float(static_cast<std::uint16_t>(code));
    tally.check(
        std::isnan(expected) ? std::isnan(got) : float_to_bits(got) == float_to_bits(expected), got,
        float_to_bits(got), float_to_bits(expected));
  }
  // A step that is odd and coprime to every field visits all exponents with scattered mantissas.
  for (std::uint64_t u = 0; u < (std::uint64_t{1} << 32); u += 2053) {
    const float value = bits_to_float(static_cast<std::uint32_t>(u));
    if (std::isnan(value)) continue;
    const auto expected = __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(value));
    tally.check(value, float_to_f16_bits(value), expected);
  }
  BOOST_TEST(tally.checked() > 2000000);
  BOOST_TEST(tally.failed() == 0);
}

BOOST_AUTO_TEST_CASE(f8e4m3_overflow_follows_the_ocp_rules) {
  const auto special = [](float v) { return int{float_to_f8e4m3_bits(v, Overflow::kSpecial)}; };
  const auto saturate = [](float v) { return int{float_to_f8e4m3_bits(v)}; };
  BOOST_TEST(special(448) == 0x7e);
  BOOST_TEST(special(464) == 0x7e);  // halfway to 480, which would be odd
  BOOST_TEST(special(up(464)) == 0x7f);
  BOOST_TEST(special(-1e30f) == 0xff);
  BOOST_TEST(special(kInf) == 0x7f);
  BOOST_TEST(saturate(up(464)) == 0x7e);
  BOOST_TEST(saturate(1e30f) == 0x7e);
  BOOST_TEST(saturate(kInf) == 0x7e);
  BOOST_TEST(saturate(-kInf) == 0xfe);
}

BOOST_AUTO_TEST_CASE(f8e5m2_overflow_follows_the_ocp_rules) {
  const auto special = [](float v) { return int{float_to_f8e5m2_bits(v, Overflow::kSpecial)}; };
  const auto saturate = [](float v) { return int{float_to_f8e5m2_bits(v)}; };
  BOOST_TEST(special(57344) == 0x7b);
  BOOST_TEST(special(down(61440)) == 0x7b);
  BOOST_TEST(special(61440) == 0x7c);  // halfway to 65536, which is even
  BOOST_TEST(special(-kInf) == 0xfc);
  BOOST_TEST(saturate(61440) == 0x7b);
  BOOST_TEST(saturate(kInf) == 0x7b);
  BOOST_TEST(saturate(-1e30f) == 0xfb);
}

BOOST_AUTO_TEST_CASE(nan_stays_nan_whatever_its_payload) {
  for (const std::uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu,
                                   0x7f808000u, 0x7f801000u}) {
    const float nan = bits_to_float(bits);
    for (const Codec& codec : kCodecs) {
      BOOST_TEST(std::isnan(codec.decode(codec.encode(nan))), codec.name);
      if (codec.saturate != nullptr) {
        BOOST_TEST(std::isnan(codec.decode(codec.saturate(nan))), codec.name);
      }
      BOOST_TEST(((codec.encode(nan) & codec.format.sign_bit()) != 0) == (bits >> 31 != 0));
    }
    BOOST_TEST(std::isnan(round_to_tf32(nan)));
    BOOST_TEST(std::isnan(bf16_bits_to_float(float_to_bf16_bits_stochastic(nan, 0xffff))));
  }
}

BOOST_AUTO_TEST_CASE(tf32_keeps_ten_bits_and_rounds_ties_to_even) {
  Tally tally;
  for (int exponent = -126; exponent <= 127; ++exponent) {
    for (int mantissa = 0; mantissa < 1024; ++mantissa) {
      const double step = std::ldexp(1.0, exponent - 10);
      const double below = (1024 + mantissa) * step;
      const float middle = static_cast<float>(below + step / 2);
      const auto expect = [&](float value, double expected) {
        // Past the largest value the next step is 2^128, which a float can only call infinity.
        const float e = static_cast<float>(expected);
        tally.check(value, float_to_bits(round_to_tf32(value)), float_to_bits(e));
        tally.check(-value, float_to_bits(round_to_tf32(-value)), float_to_bits(-e));
      };
      expect(static_cast<float>(below), below);
      expect(down(middle), below);
      expect(middle, mantissa % 2 == 0 ? below : below + step);
      expect(up(middle), below + step);
    }
  }
  BOOST_TEST(tally.failed() == 0);
  BOOST_TEST(round_to_tf32(kInf) == kInf);
  BOOST_TEST(round_to_tf32(0x1p-136f) == 0x1p-136f);
  BOOST_TEST(round_to_tf32(0x1p-137f) == 0.0f);
  BOOST_TEST(round_to_tf32(0x1.8p-136f) == 0x1p-135f);
}

BOOST_AUTO_TEST_CASE(stochastic_bf16_rounding_is_right_on_average_exactly) {
  // Over all 65536 random words, the upper neighbour must come up as often as the value lies
  // above the lower one, in units of 1/65536.
  for (const std::uint32_t bits : {0x3f800000u, 0x3f800001u, 0x3f808000u, 0x3f80ffffu, 0xbf812345u,
                                   0x00000001u, 0x00012345u, 0x7f7f0001u, 0xff7fffffu}) {
    const float value = bits_to_float(bits);
    const auto lower = static_cast<std::uint16_t>(bits >> 16);
    std::uint32_t ups = 0, others = 0;
    for (std::uint32_t random = 0; random < 0x10000u; ++random) {
      const std::uint16_t got = float_to_bf16_bits_stochastic(value, random);
      if (got == lower + 1) {
        ++ups;
      } else if (got != lower) {
        ++others;
      }
    }
    BOOST_TEST(ups == (bits & 0xffffu));
    BOOST_TEST(others == 0u);
  }
  for (const std::uint32_t random : {0u, 0x8000u, 0xffffu, 0xffffffffu}) {
    BOOST_TEST(float_to_bf16_bits_stochastic(kInf, random) == 0x7f80);
    BOOST_TEST(float_to_bf16_bits_stochastic(-2.0f, random) == 0xc000);
  }
}

BOOST_AUTO_TEST_CASE(storage_types_hold_bits_and_convert_explicitly) {
  static_assert(sizeof(bf16) == 2 && sizeof(f16) == 2 && sizeof(f8e4m3) == 1);
  static_assert(sizeof(f8e5m2) == 1);
  static_assert(std::is_trivial_v<bf16> && std::is_trivial_v<f16>);
  static_assert(std::is_trivial_v<f8e4m3> && std::is_trivial_v<f8e5m2>);
  static_assert(!std::is_convertible_v<float, bf16> && !std::is_convertible_v<bf16, float>);
  BOOST_TEST(static_cast<float>(bf16(3.140625f)) == 3.140625f);
  BOOST_TEST(static_cast<float>(bf16::from_bits(0x4049)) == 3.140625f);
  BOOST_TEST(bf16(-1.0f).bits == 0xbf80);
  BOOST_TEST(f16(1.5f).bits == 0x3e00);
  BOOST_TEST(static_cast<float>(f16::from_bits(0x7bff)) == 65504.0f);
  BOOST_TEST(static_cast<float>(f8e4m3(1000.0f)) == 448.0f);
  BOOST_TEST(std::isnan(static_cast<float>(f8e4m3(1000.0f, Overflow::kSpecial))));
  BOOST_TEST(static_cast<float>(f8e5m2::from_bits(0x01)) == 0x1p-16f);
  BOOST_TEST(static_cast<float>(f8e5m2(1e9f, Overflow::kSpecial)) == kInf);
}

BOOST_AUTO_TEST_CASE(dtype_of_names_what_a_type_stores_and_its_size_agrees) {
  const auto check = []<class T>(T, DType expected) {
    BOOST_TEST((dtype_of<T> == expected));
    BOOST_TEST(size_of(dtype_of<T>) == static_cast<int>(sizeof(T)));
  };
  check(float{}, DType::kF32);
  check(double{}, DType::kF64);
  check(bf16{}, DType::kBf16);
  check(f16{}, DType::kF16);
  check(f8e4m3{}, DType::kF8e4m3);
  check(f8e5m2{}, DType::kF8e5m2);
  check(std::int32_t{}, DType::kI32);
  check(std::uint16_t{}, DType::kU16);
  check(std::uint8_t{}, DType::kU8);
}

BOOST_AUTO_TEST_CASE(the_dtype_table_and_the_conversions_describe_the_same_formats) {
  const std::pair<DType, FloatFormat> formats[] = {{DType::kBf16, testing::kBf16Format},
                                                   {DType::kF16, testing::kF16Format},
                                                   {DType::kF8e4m3, testing::kF8e4m3Format},
                                                   {DType::kF8e5m2, testing::kF8e5m2Format}};
  for (const auto& [dtype, format] : formats) {
    const DTypeInfo& facts = info(dtype);
    const std::uint32_t first_normal = 1u << format.mantissa_bits;
    const std::uint32_t one = format.nearest_magnitude(1);
    BOOST_TEST(facts.largest == format.plain_value(format.largest_code()), facts.name);
    BOOST_TEST(facts.smallest_normal == format.plain_value(first_normal), facts.name);
    BOOST_TEST(facts.smallest_subnormal == format.plain_value(1), facts.name);
    BOOST_TEST(facts.epsilon == format.plain_value(one + 1) - 1, facts.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
