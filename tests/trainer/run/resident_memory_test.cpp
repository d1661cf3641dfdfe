// What the operating system counts is the arena plus named parts.

#include "tests/trainer/run/run_plan.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <numeric>

namespace headroom {
namespace {

// The sanitizers keep memory of their own beside every allocation.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
BOOST_AUTO_TEST_CASE(growth_is_the_arena_and_the_named_parts_within_2_percent) {
  const test::TemporaryFolder folder;
  test::Recorder recorder;
  const Plan plan = test::load("cruncher-1024.yaml", {"training.max_steps=4"});
  (void)test::run(plan, folder.path(), "", recorder);
  const auto records = recorder.all<MemoryRecord>();
  BOOST_REQUIRE(!records.empty());
  const MemoryRecord& memory = records.back();
  const auto growth = static_cast<double>((memory.device_peak - memory.device_start).value());
  auto named = static_cast<double>(memory.reserved_peak.value());
  for (const auto& [name, bytes] : memory.fixed_parts) {
    BOOST_TEST_MESSAGE(name << ": " << bytes.value());
    named += static_cast<double>(bytes.value());
  }
  BOOST_TEST(std::abs(growth - named) / growth < 0.02);
  BOOST_TEST(memory.reserved_peak.value() > 40'000'000);  // the arena is most of it
}
#endif

}  // namespace
}  // namespace headroom
