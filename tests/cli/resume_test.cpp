// What a user sees who goes on with a run.

#include "tests/cli/run_program.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

namespace fs = std::filesystem;
using test::headroom;
using test::ProgramResult;

struct Runs {
  test::TemporaryFolder folder;
  [[nodiscard]] ProgramResult train(std::vector<std::string> more) const {
    std::vector<std::string> words = {"train",
                                      test::shipped("cruncher.yaml"),
                                      "output.dir=" + folder.path().string(),
                                      "hardware.device=cpu",
                                      "output.save_every=1",
                                      "output.keep=3"};
    words.insert(words.end(), more.begin(), more.end());
    return headroom(words);
  }
  [[nodiscard]] fs::path file(const std::string& name) const {
    return folder.path() / "cruncher-1" / name;
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

BOOST_AUTO_TEST_CASE(a_finished_run_says_that_it_has_all_steps) {
  const Runs runs;
  BOOST_REQUIRE(runs.train({"training.max_steps=3"}).code == 0);
  const auto again = runs.train({"training.max_steps=3", "--resume", "auto"});
  BOOST_TEST(again.code == 0);
  BOOST_TEST(contains(again.err, "has all 3 steps already: nothing to do"), again.err);
  BOOST_TEST(contains(again.out, "cruncher-1"));
}

BOOST_AUTO_TEST_CASE(a_damaged_newest_checkpoint_is_named_and_the_one_before_it_taken) {
  const Runs runs;
  BOOST_REQUIRE(runs.train({"training.max_steps=3"}).code == 0);
  std::ofstream(runs.file("checkpoints/step-3/state.json")) << "{\n  \"step\": 3,\n  \"se";
  const auto again = runs.train({"training.max_steps=4", "--resume", "auto"});
  BOOST_TEST(again.code == 0);
  for (const char* part :
       {"warning: the checkpoint of step 3 is damaged", "step-3.damaged",
        "state.json:3: ", "going on from the newest whole checkpoint, of step 2", "steps 3 to 4"}) {
    BOOST_TEST(contains(again.err, part), "expected `" << part << "` in: " << again.err);
  }
  BOOST_TEST(!contains(again.err, "json.exception"));
  BOOST_TEST(fs::exists(runs.file("checkpoints/step-4/state.json")));
}

BOOST_AUTO_TEST_CASE(a_run_whose_plan_is_gone_says_what_to_do) {
  const Runs runs;
  BOOST_REQUIRE(runs.train({"training.max_steps=1"}).code == 0);
  fs::remove(runs.file("plan.yaml"));
  const auto again = runs.train({"training.max_steps=2", "--resume", "auto"});
  BOOST_TEST(again.code == 1);
  BOOST_TEST(contains(again.err, "plan.yaml is missing"), again.err);
  BOOST_TEST(contains(again.err, "put the plan"), again.err);
}

}  // namespace
}  // namespace headroom
