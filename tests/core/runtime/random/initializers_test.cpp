#include "core/runtime/random/initializers.h"

#include "core/describe/error.h"
#include "tests/core/runtime/random/distribution.h"

#include <boost/test/unit_test.hpp>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

namespace headroom::runtime {
namespace {

using testing::kKolmogorovLimit;
using testing::kolmogorov_smirnov;
using testing::kSigmas;
using testing::phi;

constexpr std::size_t kCount = 512 * 800;
const RandomStream kStream(42, stream_id("layers.0.weight"));

template <class T = float>
std::vector<T> drawn(const Initializer& initializer, std::size_t count = kCount) {
  std::vector<T> values(count);
  initialize(initializer, kStream, std::span<T>(values));
  return values;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Restores the thread count, which other tests of this program share.
class Threads {
 public:
  explicit Threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

/// The exact distribution of a scheme, worked out apart from the code under test.
struct Scheme {
  const char* name;
  Initializer initializer;
  double sigma;     ///< exact standard deviation
  double kurtosis;  ///< exact fourth moment over the squared variance
  double limit;     ///< no value may lie further from 0
  std::function<double(double)> cdf;
};

Scheme normal_scheme(const char* name, Initializer initializer, double sigma) {
  return {name, initializer, sigma, 3, 6.77 * sigma, [sigma](double x) { return phi(x / sigma); }};
}
Scheme uniform_scheme(const char* name, Initializer initializer, double bound) {
  return {name, initializer, bound / std::sqrt(3.0),
          1.8,  bound,       [bound](double x) { return (x / bound + 1) / 2; }};
}
Scheme cut_scheme(const char* name, Initializer initializer, double sigma, double cut) {
  const double inside = 2 * phi(cut) - 1;
  const double density = std::exp(-cut * cut / 2) / std::sqrt(2 * std::acos(-1.0));
  const double variance = 1 - 2 * cut * density / inside;
  const double fourth = 3 * variance - 2 * cut * cut * cut * density / inside;
  return {name,
          initializer,
          sigma * std::sqrt(variance),
          fourth / (variance * variance),
          sigma * cut * (1 + 1e-7),
          [=](double x) { return (phi(x / sigma) - phi(-cut)) / inside; }};
}

std::vector<Scheme> schemes() {
  // A layer with 512 inputs and 800 outputs.
  using I = Initializer;
  return {
      normal_scheme("normal", I::normal(0.02), 0.02),
      uniform_scheme("uniform", I::uniform(0.1), 0.1),
      normal_scheme("fan_in_normal", I::fan_in_normal(512), std::sqrt(1.0 / 512)),
      uniform_scheme("fan_in_uniform", I::fan_in_uniform(512), std::sqrt(1.0 / 512)),
      normal_scheme("xavier_normal", I::xavier_normal(512, 800), std::sqrt(2.0 / 1312)),
      uniform_scheme("xavier_uniform", I::xavier_uniform(512, 800), std::sqrt(6.0 / 1312)),
      normal_scheme("kaiming_normal", I::kaiming_normal(512), std::sqrt(2.0 / 512)),
      uniform_scheme("kaiming_uniform", I::kaiming_uniform(512), std::sqrt(6.0 / 512)),
      uniform_scheme("kaiming_uniform linear", I::kaiming_uniform(512, I::kLinearGain),
                     std::sqrt(3.0 / 512)),
      cut_scheme("truncated_normal", I::truncated_normal(std::sqrt(1.0 / 512)),
                 std::sqrt(1.0 / 512), 3),
      cut_scheme("truncated_normal at 1", I::truncated_normal(0.5, 1), 0.5, 1),
      cut_scheme("as in PyTorch", I::truncated_normal_between(2, -3, 3), 2, 1.5),
  };
}

BOOST_AUTO_TEST_SUITE(initializers)

BOOST_AUTO_TEST_CASE(every_scheme_has_its_exact_distribution) {
  const double n = static_cast<double>(kCount);
  for (const Scheme& scheme : schemes()) {
    BOOST_TEST_CONTEXT(scheme.name) {
      const std::vector<float> values = drawn(scheme.initializer);
      const testing::Moments got = testing::moments(values);
      const double variance = scheme.sigma * scheme.sigma;
      BOOST_TEST(std::abs(got.mean) < kSigmas * scheme.sigma / std::sqrt(n));
      BOOST_TEST(std::abs(got.variance / variance - 1) <
                 kSigmas * std::sqrt((scheme.kurtosis - 1) / n));
      BOOST_TEST(kolmogorov_smirnov(values, scheme.cdf) < kKolmogorovLimit);
      for (const float value : values) BOOST_REQUIRE(std::abs(value) <= scheme.limit);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_distribution_test_would_notice_a_wrong_sigma) {
  const std::vector<float> values = drawn(Initializer::normal(0.02));
  BOOST_TEST(kolmogorov_smirnov(values, [](double x) { return phi(x / 0.0205); }) >
             kKolmogorovLimit);
  const std::vector<float> uncut = drawn(Initializer::normal(1));
  const Scheme cut = cut_scheme("", {}, 1, 2);
  BOOST_TEST(kolmogorov_smirnov(uncut, cut.cdf) > kKolmogorovLimit);
}

BOOST_AUTO_TEST_CASE(three_sigma_cuts_are_reached_but_not_passed) {
  const std::vector<float> values = drawn(Initializer::truncated_normal(1));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  BOOST_TEST(*low >= -3);
  BOOST_TEST(*low < -2.99);
  BOOST_TEST(*high <= 3);
  BOOST_TEST(*high > 2.99);
}

BOOST_AUTO_TEST_CASE(a_linear_layer_keeps_the_variance_of_its_input) {
  // What the notes want of randn/sqrt(fan_in): outputs of unit size whatever the width.
  constexpr std::size_t kIn = 800, kOut = 512;
  const std::vector<float> weight = drawn(Initializer::fan_in_normal(kIn));
  const RandomStream inputs(42, stream_id("x"));
  std::vector<double> outputs(kOut, 0.0);
  double input_square = 0;
  for (std::size_t i = 0; i < kIn; ++i) {
    const double x = inputs.normal(i);
    input_square += x * x / kIn;
    for (std::size_t o = 0; o < kOut; ++o) outputs[o] += x * weight[o * kIn + i];
  }
  BOOST_TEST(std::abs(testing::moments(outputs).variance / input_square - 1) <
             kSigmas * std::sqrt(2.0 / kOut));
}

BOOST_AUTO_TEST_CASE(constants_fill_and_draw_nothing) {
  for (const float value : drawn(Initializer::zeros(), 1001)) BOOST_REQUIRE(value == 0);
  for (const float value : drawn(Initializer::ones(), 1001)) BOOST_REQUIRE(value == 1);
  for (const double value : drawn<double>(Initializer::constant(-0.1), 9)) {
    BOOST_REQUIRE(value == -0.1);
  }
  for (const bf16 value : drawn<bf16>(Initializer::ones(), 9)) BOOST_REQUIRE(value.bits == 0x3f80);
}

BOOST_AUTO_TEST_CASE(the_thread_count_changes_no_bit) {
  for (const Scheme& scheme : schemes()) {
    std::vector<float> one;
    {
      const Threads threads(1);
      one = drawn(scheme.initializer, 100003);
    }
    for (const int count : {2, 3, 7}) {
      const Threads threads(count);
      BOOST_TEST(same_bytes(one, drawn(scheme.initializer, 100003)), scheme.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(element_i_is_value_i_of_the_stream) {
  const std::vector<double> normal = drawn<double>(Initializer::normal(2), 4099);
  const std::vector<double> uniform = drawn<double>(Initializer::uniform(4), 4099);
  for (std::size_t i = 0; i < normal.size(); ++i) {
    BOOST_REQUIRE(normal[i] == 2 * static_cast<double>(kStream.normal(i)));
    BOOST_REQUIRE(uniform[i] == 8 * static_cast<double>(kStream.uniform(i)) - 4);
  }
}

BOOST_AUTO_TEST_CASE(pieces_of_any_size_join_into_the_whole) {
  const Initializer initializer = Initializer::truncated_normal(0.02);
  const std::vector<float> whole = drawn(initializer, 10000);
  std::vector<float> pieces(whole.size());
  std::size_t first = 0;
  for (std::size_t size = 1; first < pieces.size(); size = size * 2 + 1) {
    const std::size_t count = std::min(size, pieces.size() - first);
    initialize(initializer, kStream, std::span<float>(pieces).subspan(first, count), first);
    first += count;
  }
  BOOST_TEST(same_bytes(whole, pieces));
  initialize(initializer, kStream, std::span<float>(), 5);
}

BOOST_AUTO_TEST_CASE(elements_past_four_billion_are_reached) {
  constexpr std::uint64_t kFirst = (std::uint64_t{1} << 34) + 3;
  std::vector<double> values(6);
  initialize(Initializer::normal(1), kStream, std::span<double>(values), kFirst);
  for (std::size_t i = 0; i < values.size(); ++i) {
    BOOST_TEST(values[i] == static_cast<double>(kStream.normal(kFirst + i)));
  }
  BOOST_TEST(values[0] != static_cast<double>(kStream.normal(3)));
}

BOOST_AUTO_TEST_CASE(narrow_types_hold_the_rounded_values_of_wide_ones) {
  for (const Scheme& scheme : schemes()) {
    const std::vector<double> wide = drawn<double>(scheme.initializer, 5000);
    const std::vector<float> single = drawn<float>(scheme.initializer, 5000);
    const std::vector<bf16> brain = drawn<bf16>(scheme.initializer, 5000);
    const std::vector<f16> half = drawn<f16>(scheme.initializer, 5000);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const float value = static_cast<float>(wide[i]);
      BOOST_REQUIRE(single[i] == value);
      BOOST_REQUIRE(brain[i].bits == bf16(value).bits);
      BOOST_REQUIRE(half[i].bits == f16(value).bits);
    }
  }
}

BOOST_AUTO_TEST_CASE(names_and_seeds_give_other_values) {
  const auto of = [](std::uint64_t seed, const char* name) {
    std::vector<float> values(100);
    initialize(Initializer::normal(1), RandomStream(seed, stream_id(name)),
               std::span<float>(values));
    return values;
  };
  BOOST_TEST(same_bytes(of(1, "layers.0.weight"), of(1, "layers.0.weight")));
  BOOST_TEST(!same_bytes(of(1, "layers.0.weight"), of(1, "layers.1.weight")));
  BOOST_TEST(!same_bytes(of(1, "layers.0.weight"), of(2, "layers.0.weight")));
}

BOOST_AUTO_TEST_CASE(cuts_that_enclose_nothing_are_refused) {
  Initializer broken = Initializer::truncated_normal(1);
  broken.lower = broken.upper;
  std::vector<float> values(8);
  BOOST_CHECK_THROW(initialize(broken, kStream, std::span<float>(values)), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::runtime
