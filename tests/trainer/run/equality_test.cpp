// Predicted equals measured, to the byte, for every shipped plan.

#include "core/io/config_dirs.h"
#include "core/io/yaml.h"
#include "estimator/compare.h"
#include "estimator/hardware_catalog.h"
#include "estimator/measured_run.h"
#include "tests/trainer/run/run_plan.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

estimator::Hardware hardware() {
  const std::string name = test::test_device() == "cpu" ? "cpu-generic" : "h100-sxm";
  return estimator::hardware_from_node(io::read_yaml(std::filesystem::path(HEADROOM_SOURCE_DIR) /
                                                     "configs/hardware" / (name + ".yaml")));
}

/// A few steps are enough: every step has the memory of the first.
std::vector<std::string> shortened(const std::string& name) {
  std::vector<std::string> words = {"training.max_steps=4", "training.lr_schedule.warmup_steps=0",
                                    "output.save_every=0"};
  if (name == "gpt2-124m.yaml") {
    words.insert(words.end(), {"training.max_steps=1", "model.num_hidden_layers=1"});
  }
  if (name == "cruncher-1024.yaml") words.emplace_back("training.max_steps=2");
  return words;
}

/// Runs a plan and compares what was predicted with what the run measured, category by category.
void check_equality(const Plan& plan, const std::string& name) {
  const test::TemporaryFolder folder;
  test::Recorder recorder;
  const auto finished = test::run(plan, folder.path(), "", recorder);
  BOOST_TEST((finished.outcome.code == ExitCode::kOk));

  const auto measured = estimator::measured_run(recorder.records, name);
  const auto predicted = estimator::estimate(plan, hardware(), {.suggestions = false});
  const auto comparison = estimator::compare(predicted, measured);
  BOOST_TEST(measured.device == test::test_device());
  for (const auto& line : comparison.tensors) {
    BOOST_TEST_CONTEXT(line.name) { BOOST_TEST(line.predicted.value() == line.measured.value()); }
  }
  for (const auto& line : comparison.allocated) {
    BOOST_TEST(line.predicted.value() == line.measured.value());
  }
  BOOST_TEST(comparison.tensors.size() >= 4U);
  BOOST_TEST(comparison.tensors_peak.predicted.value() > 0);
  BOOST_TEST(comparison.tensors_peak.predicted.value() == comparison.tensors_peak.measured.value());
  BOOST_TEST(comparison.allocated_peak.predicted.value() ==
             comparison.allocated_peak.measured.value());
  BOOST_TEST(comparison.reserved.predicted.value() == comparison.reserved.measured.value());
  BOOST_TEST(comparison.predicted_peak_op == comparison.measured_peak_op);
  BOOST_TEST(comparison.predicted_peak_phase == comparison.measured_peak_phase);
}

bool needs_data_file(const std::string& name) { return name == "gpt2-text.yaml"; }

BOOST_AUTO_TEST_SUITE(equality)

BOOST_AUTO_TEST_CASE(every_category_of_every_shipped_plan_is_predicted_to_the_byte) {
  int plans = 0;
  for (const auto& path : io::list_configs("runs")) {
    const std::string name = path.filename().string();
    // A plan for several GPUs can be estimated, not trained, by this version.
    const Plan plan = io::load_plan(path).plan;
    if (world_size(plan.parallel) > 1 || plan.hardware.count > 1) continue;
    if (needs_data_file(name)) continue;
    BOOST_TEST_CONTEXT(name) {
      ++plans;
      check_equality(test::load(name, shortened(name)), name);
    }
  }
  BOOST_TEST(plans >= 12);
}

// Every way of keeping less, in every precision.
BOOST_AUTO_TEST_CASE(transformers_are_predicted_to_the_byte) {
  int plans = 0;
  for (const char* name : {"gpt2-tiny.yaml", "llama-tiny.yaml"}) {
    for (const char* precision : {"f32", "bf16-mixed", "bf16-true", "fp16-mixed"}) {
      for (const char* policy : {"none", "elementwise", "selective", "full", "every"}) {
        for (const char* attention : {"flash", "eager"}) {
          if (std::string(attention) == "eager" && std::string(policy) != "none") continue;
          BOOST_TEST_CONTEXT(name << ' ' << precision << ' ' << policy << ' ' << attention) {
            ++plans;
            check_equality(
                test::load(name,
                           {"training.max_steps=2", std::string("training.precision=") + precision,
                            std::string("training.activation_checkpointing=") + policy,
                            std::string("training.attention=") + attention}),
                name);
          }
        }
      }
    }
  }
  BOOST_TEST(plans >= 30);
}

// What is kept or computed again decides memory alone: the losses are the same bits.
BOOST_AUTO_TEST_CASE(recomputing_changes_no_loss_in_any_precision) {
  for (const char* precision : {"f32", "bf16-mixed", "bf16-true", "fp16-mixed"}) {
    std::vector<double> kept;
    for (const char* policy : {"none", "elementwise", "selective", "full", "every"}) {
      BOOST_TEST_CONTEXT(precision << ' ' << policy) {
        const test::TemporaryFolder folder;
        test::Recorder recorder;
        (void)test::run(test::load("gpt2-tiny.yaml",
                                   {"training.max_steps=4", "model.residual_dropout=0.1",
                                    std::string("training.precision=") + precision,
                                    std::string("training.activation_checkpointing=") + policy}),
                        folder.path(), "", recorder);
        std::vector<double> losses;
        for (const StepRecord& step : recorder.all<StepRecord>()) losses.push_back(step.loss);
        BOOST_REQUIRE_EQUAL(losses.size(), 4U);
        if (kept.empty()) kept = losses;
        BOOST_TEST(losses == kept, boost::test_tools::per_element());
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
