#include "tests/trainer/run/run_plan.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

const std::vector<std::string> kWords = {"training.max_steps=12",
                                         "training.lr_schedule.warmup_steps=3",
                                         "output.save_every=4", "output.log_every=1"};

BOOST_AUTO_TEST_CASE(a_resumed_run_ends_with_the_bits_of_an_uninterrupted_one) {
  // Dropout and stochastic rounding draw by step, and a loss scale has a history.
  for (const auto& [name, precision] :
       {std::pair("cruncher-accumulation.yaml", "f32"), std::pair("mlp-odd.yaml", "f32"),
        std::pair("cruncher-clip.yaml", "f32"), std::pair("mlp-odd.yaml", "bf16-mixed"),
        std::pair("gpt2-tiny.yaml", "f32"), std::pair("gpt2-tiny.yaml", "bf16-mixed"),
        std::pair("gpt2-tiny.yaml", "bf16-true"), std::pair("gpt2-tiny.yaml", "fp16-mixed")}) {
    BOOST_TEST_CONTEXT(name << ' ' << precision) {
      std::vector<std::string> words = kWords;
      words.push_back(std::string("training.precision=") + precision);
      if (std::string(name) == "gpt2-tiny.yaml") words.emplace_back("model.residual_dropout=0.1");
      const Plan plan = test::load(name, words);
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
  BOOST_TEST(again.outcome.had_all_steps);
  BOOST_TEST(again.outcome.end.step == 3);
  BOOST_TEST(!finished.outcome.had_all_steps);
}

BOOST_AUTO_TEST_CASE(resuming_a_finished_run_keeps_its_log_and_summary) {
  const test::TemporaryFolder folder;
  test::Recorder first, second, third;
  const Plan plan = test::load("cruncher-odd.yaml", {"training.max_steps=3"});
  const auto finished = test::run(plan, folder.path(), "", first);
  const std::string log = test::contents(finished.directory.log());
  const std::string summary = test::contents(finished.directory.summary());
  (void)test::run(plan, folder.path(), "auto", second);
  BOOST_TEST(test::contents(finished.directory.log()) == log);
  BOOST_TEST(test::contents(finished.directory.summary()) == summary);
  // Killed between its last checkpoint and its summary: that is made up for.
  std::filesystem::remove(finished.directory.summary());
  (void)test::run(plan, folder.path(), "auto", third);
  BOOST_TEST(third.all<EndRecord>().size() == 1U);
  BOOST_TEST(std::filesystem::exists(finished.directory.summary()));
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

BOOST_AUTO_TEST_CASE(a_damaged_newest_checkpoint_gives_way_to_the_newest_whole_one) {
  namespace fs = std::filesystem;
  const std::vector<std::string> words = {"output.save_every=1", "output.keep=2",
                                          "output.log_every=1"};
  const auto plan_of = [&](const std::string& steps) {
    auto all = words;
    all.push_back("training.max_steps=" + steps);
    return test::load("cruncher-odd.yaml", all);
  };
  const test::TemporaryFolder whole_folder;
  test::Recorder whole;
  const auto uninterrupted = test::run(plan_of("8"), whole_folder.path(), "", whole);

  for (const char* file : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    for (const bool cut : {true, false}) {
      BOOST_TEST_CONTEXT(file << (cut ? " cut short" : " missing")) {
        const test::TemporaryFolder folder;
        test::Recorder first, second;
        const auto stopped = test::run(plan_of("6"), folder.path(), "", first);
        const fs::path damaged = stopped.directory.checkpoint(6) / file;
        if (cut) {
          fs::resize_file(damaged, fs::file_size(damaged) / 2);
        } else {
          fs::remove(damaged);
        }
        const auto resumed = test::run(plan_of("8"), folder.path(), "auto", second);
        BOOST_TEST((resumed.outcome.code == ExitCode::kOk));
        BOOST_TEST(second.all<RunRecord>().at(0).first_step == 6);
        BOOST_REQUIRE(second.warnings.size() == 2U);
        BOOST_TEST((second.warnings[0].find("step 6 is damaged") != std::string::npos));
        BOOST_TEST((second.warnings[0].find(file) != std::string::npos));
        BOOST_TEST((second.warnings[1].find("of step 5") != std::string::npos));
        // The damaged one takes no place among the two that are kept.
        BOOST_TEST((resumed.directory.checkpoints() == std::vector<std::int64_t>{7, 8}));
        BOOST_TEST(fs::exists(resumed.directory.path() / "checkpoints/step-6.damaged"));
        BOOST_TEST((test::checkpoint_bytes(resumed.directory, 8) ==
                    test::checkpoint_bytes(uninterrupted.directory, 8)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(when_no_checkpoint_is_whole_nothing_is_touched) {
  const test::TemporaryFolder folder;
  test::Recorder recorder, again;
  const auto finished =
      test::run(test::load("cruncher-odd.yaml", {"training.max_steps=2", "output.save_every=1"}),
                folder.path(), "", recorder);
  for (const std::int64_t step : {1, 2}) {
    std::filesystem::remove(finished.directory.checkpoint(step) / "state.json");
  }
  BOOST_CHECK_EXCEPTION(
      (void)test::run(test::load("cruncher-odd.yaml", {"training.max_steps=4"}), folder.path(),
                      "auto", again),
      IoError, [](const IoError& error) {
        return std::string(error.what()).find("none of its 2 checkpoints is whole") !=
               std::string::npos;
      });
  BOOST_TEST((finished.directory.checkpoints() == std::vector<std::int64_t>{1, 2}));
}

}  // namespace
}  // namespace headroom
