#include "trainer/data/synthetic.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/trainer/data/buffers.h"
#include "trainer/data/loader.h"
#include "trainer/data/open_dataset.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace headroom::trainer {
namespace {

using test::Buffers;

const BatchSpec kValues{.batch = 4096, .features = 4};

BOOST_AUTO_TEST_SUITE(synthetic)

BOOST_AUTO_TEST_CASE(the_seed_decides) {
  const BatchSpec spec{.batch = 16, .features = 4};
  const auto batch = [&](std::uint64_t seed) {
    const Loader loader(make_synthetic_dataset(spec, Normalize::kNone, seed), spec, {});
    Buffers buffers(spec);
    loader.load(0, 0, buffers.view());
    return buffers.inputs<float>();
  };
  BOOST_TEST((batch(1) == batch(1)));
  BOOST_TEST((batch(1) != batch(2)));
}

BOOST_AUTO_TEST_CASE(values_follow_a_planted_linear_rule) {
  // Least squares over all rows must explain all but the noise, whose deviation is 0.1.
  const auto dataset = make_synthetic_dataset(kValues, Normalize::kNone, 8);
  BOOST_TEST_REQUIRE(dataset->info().items == 4096);
  Buffers buffers(kValues);
  for (std::int64_t row = 0; row < 4096; ++row) dataset->read(row, row, kValues, buffers.view());
  const auto x = buffers.inputs<float>();
  const auto y = buffers.targets<float>();
  double a[4][5] = {};
  double mean = 0, square = 0;
  for (std::size_t r = 0; r < 4096; ++r) {
    for (std::size_t i = 0; i < 4; ++i) {
      mean += static_cast<double>(x[r * 4 + i]);
      square += static_cast<double>(x[r * 4 + i]) * x[r * 4 + i];
      for (std::size_t j = 0; j < 4; ++j)
        a[i][j] += static_cast<double>(x[r * 4 + i]) * x[r * 4 + j];
      a[i][4] += static_cast<double>(x[r * 4 + i]) * y[r];
    }
  }
  // 16384 standard normal values: the mean has deviation 0.0078, the variance 0.011.
  BOOST_TEST(std::abs(mean / 16384) < 0.04);
  BOOST_TEST(std::abs(square / 16384 - 1) < 0.055);
  for (int i = 0; i < 4; ++i) {  // Gauss-Jordan; the matrix is close to 4096 times the identity
    const double pivot = a[i][i];
    for (double& value : a[i]) value /= pivot;
    for (int j = 0; j < 4; ++j) {
      const double factor = a[j][i];
      for (int k = 0; j != i && k < 5; ++k) a[j][k] -= factor * a[i][k];
    }
  }
  double rest = 0;
  for (std::size_t r = 0; r < 4096; ++r) {
    double error = y[r];
    for (std::size_t i = 0; i < 4; ++i) error -= a[i][4] * x[r * 4 + i];
    rest += error * error;
  }
  BOOST_TEST(std::abs(std::sqrt(rest / 4096) - 0.1) < 0.01);
}

BOOST_AUTO_TEST_CASE(classes_lie_around_their_centres) {
  const BatchSpec spec{
      .targets = TargetKind::kClasses, .batch = 4096, .features = 64, .classes = 10};
  const auto dataset = make_synthetic_dataset(spec, Normalize::kNone, 8);
  Buffers buffers(spec);
  for (std::int64_t row = 0; row < 4096; ++row) dataset->read(row, row, spec, buffers.view());
  const auto x = buffers.inputs<float>();
  const auto labels = buffers.targets<std::int32_t>();
  std::vector<std::vector<double>> centres(10, std::vector<double>(64));
  std::vector<int> counts(10);
  for (std::size_t r = 0; r < 4096; ++r) {
    const auto label = static_cast<std::size_t>(labels[r]);
    BOOST_TEST_REQUIRE(label < 10u);
    ++counts[label];
    for (std::size_t c = 0; c < 64; ++c) centres[label][c] += x[r * 64 + c];
  }
  for (std::size_t k = 0; k < 10; ++k) {
    BOOST_TEST(std::abs(counts[k] - 410) < 100);  // deviation 19
    for (double& value : centres[k]) value /= counts[k];
  }
  // Centres are about sqrt(128) = 11 apart, and the noise along the line between two has deviation
  // 1, so the nearest centre is nearly always the right one.
  int right = 0;
  for (std::size_t r = 0; r < 4096; ++r) {
    std::size_t best = 0;
    double nearest = 1e30;
    for (std::size_t k = 0; k < 10; ++k) {
      double distance = 0;
      for (std::size_t c = 0; c < 64; ++c) {
        distance += (x[r * 64 + c] - centres[k][c]) * (x[r * 64 + c] - centres[k][c]);
      }
      if (distance < nearest) nearest = distance, best = k;
    }
    right += static_cast<int>(best == static_cast<std::size_t>(labels[r]));
  }
  BOOST_TEST(right > 4000);
}

BOOST_AUTO_TEST_CASE(tokens_stay_in_the_vocabulary_and_every_second_one_can_be_told) {
  const BatchSpec spec{.kind = DataKind::kTokens,
                       .targets = TargetKind::kNextTokens,
                       .batch = 1,
                       .sequence_length = 1000,
                       .classes = 97};
  const auto dataset = make_synthetic_dataset(spec, Normalize::kNone, 8);
  Buffers buffers(spec);
  dataset->read(0, 0, spec, buffers.view());
  const auto inputs = buffers.inputs<std::int32_t>();
  const auto targets = buffers.targets<std::int32_t>();
  for (std::size_t i = 0; i < 1000; i += 2) BOOST_TEST(targets[i] == (5 * inputs[i] + 1) % 97);
}

BOOST_AUTO_TEST_CASE(says_that_it_is_synthetic_and_what_it_takes) {
  DataPlan plan;
  plan.synthetic = true;
  const auto dataset = open_dataset(plan, &kValues, 8);
  BOOST_TEST(dataset->info().synthetic);
  BOOST_TEST(dataset->info().in_memory.value() == 4096 * 5 * 4);
  BOOST_TEST(dataset->describe().front().value.find("synthetic") == 0u);
  test::expect_error<ConfigError>([&] { (void)open_dataset(plan); }, "data.synthetic");
}

BOOST_AUTO_TEST_CASE(wide_rows_stay_within_64_mib) {
  const BatchSpec wide{.batch = 1, .features = 1 << 20};
  const auto dataset = make_synthetic_dataset(wide, Normalize::kNone, 8);
  BOOST_TEST(dataset->info().items == 15);  // 64 MiB / (4 (2^20 + 1)) bytes
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
