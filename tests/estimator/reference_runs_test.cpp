#include "estimator/reference_runs.h"

#include "estimator/time.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace headroom::estimator {
namespace {

using boost::test_tools::tolerance;

const ReferenceRun& run(std::string_view name) {
  const auto all = reference_runs();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ReferenceRun& r) { return r.name == name; });
  BOOST_REQUIRE_MESSAGE(found != all.end(), name);
  return *found;
}

BOOST_AUTO_TEST_SUITE(reference_run)

BOOST_AUTO_TEST_CASE(the_lecture_s_runs) {
  BOOST_TEST(run("GPT-3").flops.value() == 3.14e23);
  BOOST_TEST(run("GPT-4 (estimate)").flops.value() == 2e25);
  // 6 x 175e9 x 300e9 = 3.15e23, within 1% of the published figure.
  BOOST_TEST(6 * 175e9 * 300e9 == run("GPT-3").flops.value(), tolerance(0.01));
}

// Utilisation that the published GPU-hours imply, against the bf16 peaks of the datasheets (A100
// 312, H100 989 TFLOP/s). The percentages were computed apart from this code.
BOOST_AUTO_TEST_CASE(published_gpu_hours_imply_their_utilisation) {
  const std::map<std::string_view, double> implied = {{"Llama-2-7B", 39.1},
                                                      {"Llama-2-13B", 37.7},
                                                      {"Llama-2-70B", 42.8},
                                                      {"LLaMA-7B", 43.7},
                                                      {"LLaMA-13B", 51.4},
                                                      {"LLaMA-33B", 45.9},
                                                      {"LLaMA-65B", 47.8},
                                                      {"Llama-3.1-8B", 13.9},
                                                      {"Llama-3.1-70B", 25.5},
                                                      {"Llama-3.1-405B", 33.3},
                                                      {"TinyLlama-1.1B (300B tokens)", 51.0}};
  for (const auto& [name, percent] : implied) {
    const ReferenceRun& reference = run(name);
    const double peak = reference.gpu == "h100-sxm" ? 989e12 : 312e12;
    const double mfu =
        utilisation(reference.flops, Seconds(reference.gpu_hours * 3600), FlopsPerSecond(peak));
    BOOST_TEST(100 * mfu == percent, tolerance(0.003));  // a printed digit
  }
}

BOOST_AUTO_TEST_CASE(runs_and_thresholds_go_up) {
  const auto runs = reference_runs();
  BOOST_TEST(std::is_sorted(runs.begin(), runs.end(),
                            [](const auto& a, const auto& b) { return a.flops < b.flops; }));
  const auto thresholds = reporting_thresholds();
  BOOST_TEST(thresholds.front().flops.value() == 1e25);  // EU AI Act
  BOOST_TEST(thresholds.back().flops.value() == 1e26);   // the revoked executive order
  BOOST_TEST(!thresholds.back().in_force);
  for (const ReferenceRun& r : runs) BOOST_TEST(!r.source.empty());
}

BOOST_AUTO_TEST_CASE(a_run_is_set_beside_the_nearest) {
  const RunScale third = compare_run(Flops(3.14e23 / 3));
  BOOST_TEST(third.nearest->name == "Llama-2-7B");  // 6 x 6.74e9 x 2e12 = 8.09e22
  const RunScale small = compare_run(Flops(3.14e15));
  BOOST_TEST(to_string(small).find("below every reporting threshold") != std::string::npos);
  const RunScale same = compare_run(Flops(3.14e23));
  BOOST_TEST(same.nearest->name == "GPT-3");
  BOOST_TEST(same.ratio == 1.0);
  BOOST_TEST(to_string(same) == "1 times GPT-3 (3.14e+23 FLOPs); below every reporting threshold");
}

BOOST_AUTO_TEST_CASE(thresholds_are_reached_at_their_figure) {
  BOOST_TEST(compare_run(Flops(0.99e25)).reached.size() == 0u);
  BOOST_TEST(compare_run(Flops(1e25)).reached.size() == 1u);
  BOOST_TEST(compare_run(Flops(1e26)).reached.size() == 2u);
  BOOST_TEST(to_string(compare_run(Flops(1e26))).find("revoked on 20 January 2025") !=
             std::string::npos);
  BOOST_TEST(compare_run(Flops(0)).nearest == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::estimator
