#include "core/runtime/random/philox.h"

#include "tests/core/runtime/random/distribution.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace headroom::runtime {
namespace {

using testing::kKolmogorovLimit;
using testing::kolmogorov_smirnov;
using testing::kSigmas;

constexpr std::size_t kCount = 400000;

template <class F>
std::vector<double> sample(const F& value) {
  std::vector<double> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = value(i);
  return values;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b, std::size_t shift) {
  const testing::Moments ma = testing::moments(a), mb = testing::moments(b);
  double sum = 0;
  for (std::size_t i = 0; i + shift < a.size(); ++i) {
    sum += (a[i] - ma.mean) * (b[i + shift] - mb.mean);
  }
  return sum / (static_cast<double>(a.size()) * std::sqrt(ma.variance * mb.variance));
}

BOOST_AUTO_TEST_SUITE(philox)

BOOST_AUTO_TEST_CASE(known_answers_of_random123) {
  // The three philox4x32-10 lines of kat_vectors in the Random123 distribution.
  struct Answer {
    PhiloxBlock counter;
    std::uint32_t key0, key1;
    std::array<std::uint32_t, 4> expected;
  };
  constexpr std::uint32_t kOnes = 0xffffffffu;
  const Answer answers[] = {
      {{{0, 0, 0, 0}}, 0, 0, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
      {{{kOnes, kOnes, kOnes, kOnes}},
       kOnes,
       kOnes,
       {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
      {{{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}},
       0xa4093822u,
       0x299f31d0u,
       {0xd16cfe09u, 0x94fdcceb, 0x5001e420u, 0x24126ea1u}},
  };
  for (const Answer& answer : answers) {
    const PhiloxBlock got = philox4x32(answer.counter, answer.key0, answer.key1);
    BOOST_TEST(got.words == answer.expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(seed_stream_and_index_are_the_key_and_counter) {
  // The third known answer again, through RandomStream: index 0x85a308d3243f6a88.
  const RandomStream stream(0x299f31d0a4093822u, 0x0370734413198a2eu);
  const PhiloxBlock got = stream.block(0x85a308d3243f6a88u);
  BOOST_TEST(got.words[0] == 0xd16cfe09u);
  BOOST_TEST(got.words[3] == 0x24126ea1u);
  BOOST_TEST(RandomStream(0, 0).bits(2) == 0xbc57ac4cu);
}

BOOST_AUTO_TEST_CASE(names_hash_by_fnv_1a) {
  // Test vectors of the FNV reference code (Noll, fnv64a).
  BOOST_TEST(stream_id("") == 0xcbf29ce484222325u);
  BOOST_TEST(stream_id("a") == 0xaf63dc4c8601ec8cu);
  BOOST_TEST(stream_id("foobar") == 0x85944171f73967e8u);
}

BOOST_AUTO_TEST_CASE(uniform_bits_end_below_one) {
  BOOST_TEST(uniform_from_bits(0) == 0.0f);
  BOOST_TEST(uniform_from_bits(0xffffffffu) == 1.0f - 0x1p-24f);
  BOOST_TEST(uniform_from_bits(0x80000000u) == 0.5f);
}

BOOST_AUTO_TEST_CASE(uniform_values_are_uniform) {
  const RandomStream stream(1, stream_id("uniform"));
  const auto values = sample([&](std::size_t i) { return stream.uniform(i); });
  const testing::Moments got = testing::moments(values);
  // Mean 1/2 with deviation sqrt(1/12/n); variance 1/12 with deviation sqrt(1/180/n).
  const double n = static_cast<double>(kCount);
  BOOST_TEST(std::abs(got.mean - 0.5) < kSigmas * std::sqrt(1 / (12 * n)));
  BOOST_TEST(std::abs(got.variance - 1.0 / 12) < kSigmas * std::sqrt(1 / (180 * n)));
  BOOST_TEST(kolmogorov_smirnov(values, [](double x) { return x; }) < kKolmogorovLimit);
}

BOOST_AUTO_TEST_CASE(normal_values_are_normal) {
  const RandomStream stream(1, stream_id("normal"));
  const auto values = sample([&](std::size_t i) { return stream.normal(i); });
  const testing::Moments got = testing::moments(values);
  const double n = static_cast<double>(kCount);
  BOOST_TEST(std::abs(got.mean) < kSigmas * std::sqrt(1 / n));
  BOOST_TEST(std::abs(got.variance - 1) < kSigmas * std::sqrt(2 / n));
  BOOST_TEST(kolmogorov_smirnov(values, testing::phi) < kKolmogorovLimit);
  // The halves of a pair and the square of either are uncorrelated too, if both are independent.
  double fourth = 0, squares = 0;
  for (std::size_t i = 0; i < kCount; i += 2) {
    fourth += std::pow(values[i], 4) + std::pow(values[i + 1], 4);
    squares += values[i] * values[i] * values[i + 1] * values[i + 1];
  }
  BOOST_TEST(std::abs(fourth / n - 3) < kSigmas * std::sqrt(96 / n));          // var(z^4) = 96
  BOOST_TEST(std::abs(2 * squares / n - 1) < kSigmas * std::sqrt(2 * 8 / n));  // var(x^2 y^2) = 8
}

BOOST_AUTO_TEST_CASE(no_word_gives_a_normal_value_that_is_not_finite) {
  for (const std::uint32_t a : {0u, 1u, 0x7fffffffu, 0xfffffffeu, 0xffffffffu}) {
    for (const std::uint32_t b : {0u, 0x40000000u, 0x80000000u, 0xffffffffu}) {
      const NormalPair pair = normals_from_bits(a, b);
      BOOST_TEST(std::abs(pair.first) < 6.77f);
      BOOST_TEST(std::abs(pair.second) < 6.77f);
    }
  }
}

BOOST_AUTO_TEST_CASE(neighbours_streams_and_seeds_are_uncorrelated) {
  const double limit = kSigmas / std::sqrt(static_cast<double>(kCount));
  const RandomStream a(1, 1), other_stream(1, 2), other_seed(2, 1);
  const auto values = sample([&](std::size_t i) { return a.normal(i); });
  const auto of_stream = sample([&](std::size_t i) { return other_stream.normal(i); });
  const auto of_seed = sample([&](std::size_t i) { return other_seed.normal(i); });
  for (const std::size_t shift : {1u, 2u, 3u, 4u, 5u}) {
    BOOST_TEST(std::abs(correlation(values, values, shift)) < limit);
  }
  for (const std::size_t shift : {0u, 1u, 4u}) {
    BOOST_TEST(std::abs(correlation(values, of_stream, shift)) < limit);
    BOOST_TEST(std::abs(correlation(values, of_seed, shift)) < limit);
  }
}

BOOST_AUTO_TEST_CASE(integers_below_n_are_equally_likely) {
  const RandomStream stream(3, stream_id("integers"));
  for (const std::uint64_t n : {1u, 2u, 6u, 10u, 100u}) {
    std::vector<double> counts(n, 0);
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::uint64_t value = stream.below(i, n);
      BOOST_REQUIRE(value < n);
      ++counts[value];
    }
    const double expected = static_cast<double>(kCount) / static_cast<double>(n);
    double chi_squared = 0;
    for (const double count : counts)
      chi_squared += (count - expected) * (count - expected) / expected;
    // Chi-squared has mean n - 1 and variance 2 (n - 1).
    const double freedom = static_cast<double>(n - 1);
    BOOST_TEST(std::abs(chi_squared - freedom) <= kSigmas * std::sqrt(2 * freedom));
  }
}

BOOST_AUTO_TEST_CASE(no_integer_is_favoured_where_taking_a_remainder_would) {
  // For n = 3 * 2^62 a plain multiply or remainder gives some values twice the chance of others,
  // and a quarter of the draws must be thrown away.
  constexpr std::uint64_t kN = std::uint64_t{3} << 62;
  const RandomStream stream(5, 0);
  std::array<double, 3> thirds{}, residues{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint64_t value = stream.below(i, kN);
    BOOST_REQUIRE(value < kN);
    ++thirds[value >> 62];
    ++residues[value % 3];
  }
  const double n = static_cast<double>(kCount);
  for (int k = 0; k < 3; ++k) {
    BOOST_TEST(std::abs(thirds[k] / n - 1.0 / 3) < kSigmas * std::sqrt(2.0 / 9 / n));
    BOOST_TEST(std::abs(residues[k] / n - 1.0 / 3) < kSigmas * std::sqrt(2.0 / 9 / n));
  }
}

BOOST_AUTO_TEST_CASE(the_smallest_and_largest_ranges_work) {
  const RandomStream stream(5, 1);
  BOOST_TEST(stream.below(7, 0) == 0u);
  BOOST_TEST(stream.below(7, 1) == 0u);
  BOOST_TEST(stream.below(7, ~std::uint64_t{0}) < ~std::uint64_t{0});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::runtime
