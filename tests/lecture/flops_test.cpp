#include "estimator/flops.h"

#include "core/describe/work_list.h"
#include "core/io/config_dirs.h"
#include "core/io/yaml.h"
#include "core/models/training_step.h"
#include "core/ops/elementwise.h"
#include "core/ops/linear.h"
#include "estimator/hardware_catalog.h"
#include "estimator/reference_runs.h"
#include "estimator/time.h"
#include "trainer/make_device.h"
#include "trainer/measure/matmul_rate.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom {
namespace {

estimator::HardwareCatalog catalog() {
  std::vector<ConfigNode> files;
  for (const auto& path : io::list_configs("hardware")) files.push_back(io::read_yaml(path));
  return estimator::HardwareCatalog(files);
}

// "actual_num_flops = 2 * B * D * K"
BOOST_AUTO_TEST_CASE(a_linear_model_takes_2BDK) {
  constexpr std::int64_t B = 16, D = 32, K = 8;
  const ops::Linear linear({});
  const TensorTypes inputs = {{Shape{{"batch", B}, {"in", D}}, DType::kF32},
                              {Shape{{"in", D}, {"out", K}}, DType::kF32}};
  const Work work = linear.forward_work({inputs.data(), inputs.size()});
  BOOST_TEST(work.flops().value() == 2.0 * B * D * K);
  BOOST_TEST(work.matmul_flops.value() == 2.0 * B * D * K);
}

// "Elementwise ops: m * n FLOPs", "Matrix addition: m * n FLOPs"
BOOST_AUTO_TEST_CASE(an_addition_takes_one_flop_per_element) {
  const ops::Add add;
  const TensorType x{Shape{{"m", 12}, {"n", 7}}, DType::kF32};
  const TensorTypes inputs = {x, x};
  BOOST_TEST(add.forward_work({inputs.data(), inputs.size()}).flops().value() == 12.0 * 7.0);
}

// "a100_flop_per_sec = 312e12", "h100_flop_per_sec = 1979e12 / 2"
BOOST_AUTO_TEST_CASE(gpu_peaks_are_dense) {
  const auto gpus = catalog();
  const auto a100 = estimator::peak(gpus.get("a100-sxm-80gb"), DType::kBf16);
  const auto h100 = estimator::peak(gpus.get("h100-sxm"), DType::kBf16);
  BOOST_REQUIRE((a100 && h100));
  BOOST_TEST(a100->value.value() == 312e12);
  // Vendors print 989 for 989.5.
  BOOST_TEST(std::abs(h100->value.value() - 1979e12 / 2) <= 0.5e12);
}

// "GPT-3 (2020): ~3.14e23 FLOPs", "GPT-4 (2023 est.): ~2e25", "U.S. EO (revoked 2025): >= 1e26"
BOOST_AUTO_TEST_CASE(known_runs_and_the_reporting_threshold) {
  const auto find = [](std::string_view word) {
    for (const estimator::ReferenceRun& run : estimator::reference_runs()) {
      if (run.name.find(word) != std::string_view::npos) return run.flops.value();
    }
    return 0.0;
  };
  BOOST_TEST(find("GPT-3") == 3.14e23);
  BOOST_TEST(find("GPT-4") == 2e25, boost::test_tools::tolerance(0.1));
  bool order = false;
  for (const estimator::ReportingThreshold& threshold : estimator::reporting_thresholds()) {
    if (threshold.flops.value() == 1e26) order = !threshold.in_force;
  }
  BOOST_TEST(order, "the order of 1e26 FLOPs is listed as revoked");
}

// "mfu = actual_flop_per_sec / promised_flop_per_sec"
BOOST_AUTO_TEST_CASE(mfu_is_achieved_over_promised) {
  BOOST_TEST(estimator::utilisation(Flops(494.5e12), Seconds(1), FlopsPerSecond(989e12)) == 0.5);
}

// "actual_time = time_matmul(x, w)": the rate comes from a product that really ran.
BOOST_AUTO_TEST_CASE(a_matmul_is_timed_on_this_machine) {
  Plan plan;
  plan.hardware.device = DeviceKind::kCpu;
  const auto device = trainer::make_device(plan);
  const auto timing = trainer::time_matmul(*device, DType::kF32, 64, 48, 32, Seconds(0.001));
  BOOST_TEST(timing.median.value() > 0);
  BOOST_TEST(timing.rate.value() == 2.0 * 64 * 48 * 32 / timing.median.value(),
             boost::test_tools::tolerance(1e-12));
}

// "x -> h1 = x @ w1 -> h2 = h1 @ w2 ... Total: 6 * (# data points) * (# parameters)"
// The notes count the gradient of x as well; nobody needs it, so the step does 2BDD less.
BOOST_AUTO_TEST_CASE(forward_and_backward_take_6_times_points_times_parameters) {
  constexpr std::int64_t B = 8, D = 16;
  Plan plan;
  plan.model.family = CruncherPlan{.dim = D, .num_layers = 1};
  plan.training.micro_batch_size = B;
  const Step step = models::training_step(plan, kCpuTraits);
  double products = 0;
  for (const WorkItem& item : work_of(step)) {
    if (item.op == ops::Linear::kName) products += item.work.flops().value();
  }
  const auto P = static_cast<double>(step.parameter_count);
  BOOST_TEST(P == D * D + D);
  BOOST_TEST(products + 2.0 * B * D * D == 6.0 * B * P);
  BOOST_TEST(estimator::six_n_p(B, P).value() == 6.0 * B * P);
}

}  // namespace
}  // namespace headroom
