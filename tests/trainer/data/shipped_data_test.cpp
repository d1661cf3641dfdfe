#include "tests/trainer/data/buffers.h"
#include "trainer/data/loader.h"
#include "trainer/data/open_dataset.h"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace headroom::trainer {
namespace {

using test::Buffers;

DataPlan shipped(const char* name) {
  DataPlan plan;
  plan.path = std::string(HEADROOM_SOURCE_DIR) + "/data/" + name;
  return plan;
}

BOOST_AUTO_TEST_SUITE(shipped_data)

BOOST_AUTO_TEST_CASE(digits_are_1797_images_of_ten_classes) {
  // Counts per digit as UCI's optdigits.names gives them for the test set.
  const std::vector<int> published = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  const BatchSpec spec{
      .targets = TargetKind::kClasses, .batch = 1797, .features = 64, .classes = 10};
  const Loader loader(open_dataset(shipped("digits.csv"), &spec), spec,
                      {.order = SampleOrder::kShuffle});
  BOOST_TEST(loader.dataset().info().items == 1797);
  Buffers buffers(spec);
  loader.load(0, 0, buffers.view());
  std::vector<int> counts(10);
  for (const std::int32_t label : buffers.targets<std::int32_t>()) {
    ++counts[static_cast<std::size_t>(label)];
  }
  BOOST_TEST(counts == published, boost::test_tools::per_element());
  for (const float pixel : buffers.inputs<float>()) {
    BOOST_TEST_REQUIRE((pixel >= 0 && pixel <= 16));
  }
}

BOOST_AUTO_TEST_CASE(diabetes_are_442_patients) {
  const BatchSpec spec{.batch = 442, .features = 10};
  DataPlan plan = shipped("diabetes.csv");
  plan.normalize = Normalize::kStandardize;
  const Loader loader(open_dataset(plan, &spec), spec, {.order = SampleOrder::kShuffle});
  BOOST_TEST(loader.dataset().info().items == 442);
  BOOST_TEST(loader.dataset().info().column_names.back() == "progression");
  Buffers buffers(spec);
  loader.load(0, 0, buffers.view());
  // The response has mean 152.13 and standard deviation 77.09 (442 - 1), Efron et al. 2004.
  double sum = 0, squares = 0;
  for (const float y : buffers.targets<float>()) sum += y;
  const double mean = sum / 442;
  for (const float y : buffers.targets<float>()) squares += (y - mean) * (y - mean);
  BOOST_TEST(mean == 152.13, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(squares / 441 == 77.09 * 77.09, boost::test_tools::tolerance(1e-3));
  double total = 0;
  for (const float x : buffers.inputs<float>()) total += static_cast<double>(x) * x;
  BOOST_TEST(total == 4420.0, boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
