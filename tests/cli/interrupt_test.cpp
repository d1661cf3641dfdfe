// Signals and sudden death, from outside.

#include "tests/cli/run_program.h"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <thread>

namespace headroom {
namespace {

using std::chrono::milliseconds;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> train(const std::filesystem::path& output, int steps) {
  return {"train",
          test::shipped("cruncher-odd.yaml"),
          "hardware.device=cpu",
          "output.dir=" + output.string(),
          "output.save_every=1",
          "output.log_every=1",
          "training.max_steps=" + std::to_string(steps)};
}

/// Waits until the run has logged its first steps.
bool wait_for_steps(const std::filesystem::path& log) {
  for (int i = 0; i < 600; ++i) {
    if (read(log).find("\"step\":3") != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return false;
}

BOOST_AUTO_TEST_CASE(ctrl_c_once_finishes_the_step_saves_and_exits_130) {
  const test::TemporaryFolder folder;
  test::Program program(train(folder.path(), 1000000));
  const auto run = folder.path() / "cruncher-odd-1";
  BOOST_REQUIRE(wait_for_steps(run / "run.jsonl"));
  program.signal(SIGINT);
  const auto result = program.wait();
  BOOST_TEST(result.code == 130);
  BOOST_TEST((read(run / "run.jsonl").find("\"reason\":\"interrupted\"") != std::string::npos));
  BOOST_TEST((read(run / "summary.json").find("interrupted") != std::string::npos));
}

// Killed at many moments and resumed each time, the run ends with the bits of one that was not.
BOOST_AUTO_TEST_CASE(kill_9_loses_no_checkpoint_and_resume_is_bit_equal) {
  constexpr int kSteps = 400;
  const test::TemporaryFolder whole, killed;
  BOOST_REQUIRE(test::headroom(train(whole.path(), kSteps)).code == 0);
  int kills = 0;
  for (int attempt = 0; attempt < 60; ++attempt) {
    auto words = train(killed.path(), kSteps);
    words.insert(words.end(), {"--resume", "auto"});
    test::Program program(words);
    // Spread over start-up, steps and saving; the moments need not be the same in every run.
    std::this_thread::sleep_for(milliseconds(40 + 37 * (attempt % 11)));
    if (attempt < 20) {
      program.signal(SIGKILL);
      const auto result = program.wait();
      if (result.code == -SIGKILL) ++kills;
      if (result.code == 0) break;
      continue;
    }
    BOOST_REQUIRE(program.wait().code == 0);
    break;
  }
  BOOST_TEST(kills > 0);
  const std::string last = "checkpoints/step-" + std::to_string(kSteps);
  std::filesystem::path resumed;
  for (const auto& entry : std::filesystem::directory_iterator(killed.path())) {
    if (std::filesystem::exists(entry.path() / last)) resumed = entry.path();
  }
  BOOST_REQUIRE(!resumed.empty());
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    BOOST_TEST((read(resumed / last / file) == read(whole.path() / "cruncher-odd-1" / last / file)),
               file);
  }
}

}  // namespace
}  // namespace headroom
