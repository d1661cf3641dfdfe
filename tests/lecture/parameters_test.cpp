#include "core/models/training_step.h"
#include "core/runtime/random/initializers.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

std::vector<double> draw(const Initializer& initializer, std::size_t count) {
  std::vector<double> values(count);
  runtime::initialize(initializer, runtime::RandomStream(1, 2), std::span<double>(values));
  return values;
}

double standard_deviation(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (double v : values) sum += v, squares += v * v;
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / n - (sum / n) * (sum / n));
}

// "num_parameters = D * D * num_layers + D"
BOOST_AUTO_TEST_CASE(the_cruncher_has_DDL_plus_D_parameters) {
  for (std::int64_t D : {1, 7, 64}) {
    for (std::int64_t L : {1, 2, 9}) {
      Plan plan;
      plan.model.family = CruncherPlan{.dim = D, .num_layers = L};
      plan.training.micro_batch_size = 4;
      BOOST_TEST(models::training_step(plan, kCpuTraits).parameter_count == D * D * L + D);
    }
  }
}

// "w = nn.Parameter(torch.randn(input_dim, output_dim) / np.sqrt(input_dim))"
BOOST_AUTO_TEST_CASE(weights_are_normal_over_the_root_of_the_input_size) {
  constexpr std::int64_t kInputs = 64;
  const auto values = draw(Initializer::fan_in_normal(kInputs), 200000);
  // Standard error of a standard deviation: s / sqrt(2 n), here 0.16%; five of them allowed.
  BOOST_TEST(standard_deviation(values) == 1.0 / 8, boost::test_tools::tolerance(0.008));
}

// "nn.init.trunc_normal_(w, std=1/np.sqrt(input_dim), a=-3, b=3)"
BOOST_AUTO_TEST_CASE(a_truncated_normal_stays_within_its_cuts) {
  const double sigma = 1.0 / 8;
  const auto by_sigma = draw(Initializer::truncated_normal(sigma), 200000);
  const auto [low, high] = std::minmax_element(by_sigma.begin(), by_sigma.end());
  BOOST_TEST(*low >= -3 * sigma);
  BOOST_TEST(*high <= 3 * sigma);
  // PyTorch's a and b are values, not multiples of sigma.
  const auto by_value = draw(Initializer::truncated_normal_between(1.0, -3, 3), 200000);
  const auto [lowest, highest] = std::minmax_element(by_value.begin(), by_value.end());
  BOOST_TEST(*lowest >= -3.0);
  BOOST_TEST(*highest <= 3.0);
  // Variance of a normal cut at 3 sigma: 1 - 6 phi(3) / (2 Phi(3) - 1) = 0.97334.
  BOOST_TEST(standard_deviation(by_value) == std::sqrt(0.97334),
             boost::test_tools::tolerance(0.008));
}

// "Set seeds for reproducibility"
BOOST_AUTO_TEST_CASE(a_seed_fixes_every_value) {
  const Initializer normal = Initializer::normal(1);
  std::vector<double> a(100), b(100), c(100);
  runtime::initialize(normal, runtime::RandomStream(5, 1), std::span<double>(a));
  runtime::initialize(normal, runtime::RandomStream(5, 1), std::span<double>(b));
  runtime::initialize(normal, runtime::RandomStream(6, 1), std::span<double>(c));
  BOOST_TEST((a == b));
  BOOST_TEST((a != c));
}

}  // namespace
}  // namespace headroom
