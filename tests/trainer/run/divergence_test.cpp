#include "core/io/run_log.h"
#include "tests/trainer/run/run_plan.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

BOOST_AUTO_TEST_CASE(a_loss_that_is_no_number_ends_the_run) {
  const test::TemporaryFolder folder;
  test::Recorder recorder;
  const Plan plan =
      test::load("cruncher-sgd.yaml", {"training.optimizer.lr=1e30", "training.max_steps=20"});
  const auto finished = test::run(plan, folder.path(), "", recorder);
  BOOST_TEST((finished.outcome.code == ExitCode::kDiverged));
  BOOST_TEST(static_cast<int>(finished.outcome.code) == 4);
  BOOST_TEST(finished.outcome.end.reason == "diverged");
  // The last record says so, for those who read the log.
  const auto log = io::read_run_log(finished.directory.log());
  BOOST_TEST(std::get<EndRecord>(log.back()).reason == "diverged");
  BOOST_TEST(finished.directory.checkpoints().empty());
}

}  // namespace
}  // namespace headroom
