#include "tests/trainer/run/run_plan.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

const std::vector<std::string> kWords = {"training.max_steps=12",
                                         "training.lr_schedule.warmup_steps=3",
                                         "output.save_every=4", "output.log_every=1"};

BOOST_AUTO_TEST_CASE(a_resumed_run_ends_with_the_bits_of_an_uninterrupted_one) {
  for (const char* name : {"cruncher-accumulation.yaml", "mlp-odd.yaml", "cruncher-clip.yaml"}) {
    BOOST_TEST_CONTEXT(name) {
      const Plan plan = test::load(name, kWords);
      const test::TemporaryFolder whole_folder, parts_folder;
      test::Recorder whole;
      const auto uninterrupted = test::run(plan, whole_folder.path(), "", whole);
      BOOST_REQUIRE((uninterrupted.outcome.code == ExitCode::kOk));

      // Stopped after step 5, then after step 9: each time the step in work is finished and saved.
      test::Recorder first, second, third;
      first.stop_after = 5;
      const auto stopped = test::run(plan, parts_folder.path(), "", first);
      BOOST_TEST((stopped.outcome.code == ExitCode::kInterrupted));
      BOOST_TEST(stopped.outcome.end.reason == "interrupted");
      BOOST_TEST(stopped.directory.checkpoints().back() == 5);
      second.stop_after = 9;
      (void)test::run(plan, parts_folder.path(), "auto", second);
      const auto resumed = test::run(plan, parts_folder.path(), "auto", third);
      BOOST_TEST((resumed.outcome.code == ExitCode::kOk));
      BOOST_TEST(resumed.directory.path().string() == stopped.directory.path().string());
      BOOST_TEST(third.all<RunRecord>().at(0).first_step == 10);

      BOOST_TEST((test::checkpoint_bytes(resumed.directory, 12) ==
                  test::checkpoint_bytes(uninterrupted.directory, 12)));
      BOOST_TEST((resumed.outcome.end.last_loss == uninterrupted.outcome.end.last_loss));
      BOOST_TEST(resumed.outcome.end.last_loss.has_value());
    }
  }
}

BOOST_AUTO_TEST_CASE(resuming_a_finished_run_does_nothing) {
  const test::TemporaryFolder folder;
  test::Recorder first, second;
  const Plan plan = test::load("cruncher-odd.yaml", {"training.max_steps=3"});
  const auto finished = test::run(plan, folder.path(), "", first);
  const auto again = test::run(plan, folder.path(), "auto", second);
  BOOST_TEST((again.outcome.code == ExitCode::kOk));
  BOOST_TEST(again.directory.path().string() == finished.directory.path().string());
  BOOST_TEST(second.all<StepRecord>().empty());
  BOOST_TEST(second.all<MemoryRecord>().empty());
  BOOST_TEST(second.all<CheckpointRecord>().empty());
}

BOOST_AUTO_TEST_CASE(a_changed_model_cannot_be_resumed) {
  const test::TemporaryFolder folder;
  test::Recorder recorder;
  (void)test::run(test::load("cruncher-odd.yaml", {"training.max_steps=2"}), folder.path(), "",
                  recorder);
  Plan other = test::load("cruncher-odd.yaml", {"training.max_steps=4", "model.num_layers=2"});
  other.output.dir = folder.path().string();
  BOOST_CHECK_EXCEPTION(
      (void)trainer::choose_run(other, "run", "auto"), ConfigError, [](const ConfigError& error) {
        return error.problems().size() == 1 && error.problems()[0].key == "model.num_layers";
      });
}

BOOST_AUTO_TEST_CASE(a_changed_learning_rate_is_a_warning) {
  const test::TemporaryFolder folder;
  test::Recorder recorder;
  (void)test::run(test::load("cruncher-odd.yaml", {"training.max_steps=2"}), folder.path(), "",
                  recorder);
  Plan other =
      test::load("cruncher-odd.yaml", {"training.max_steps=4", "training.optimizer.lr=0.5"});
  other.output.dir = folder.path().string();
  const auto choice = trainer::choose_run(other, "run", "auto");
  BOOST_TEST(choice.resume);
  BOOST_REQUIRE(choice.warnings.size() == 1U);
  BOOST_TEST(choice.warnings[0].find("training.optimizer.lr") == 0U);
}

BOOST_AUTO_TEST_CASE(only_the_newest_checkpoints_are_kept) {
  const test::TemporaryFolder folder;
  test::Recorder recorder;
  const auto finished =
      test::run(test::load("cruncher-odd.yaml",
                           {"training.max_steps=6", "output.save_every=1", "output.keep=2"}),
                folder.path(), "", recorder);
  BOOST_TEST((finished.directory.checkpoints() == std::vector<std::int64_t>{5, 6}));
}

BOOST_AUTO_TEST_CASE(a_damaged_checkpoint_is_refused_by_name) {
  const test::TemporaryFolder folder;
  test::Recorder recorder, again;
  Plan plan = test::load("cruncher-odd.yaml", {"training.max_steps=2"});
  const auto finished = test::run(plan, folder.path(), "", recorder);
  const auto file = finished.directory.checkpoint(2) / "model.safetensors";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  plan.training.max_steps = 4;
  BOOST_CHECK_EXCEPTION(
      (void)test::run(plan, folder.path(), "auto", again), IoError, [](const IoError& error) {
        return std::string(error.what()).find("model.safetensors") != std::string::npos;
      });
}

}  // namespace
}  // namespace headroom
