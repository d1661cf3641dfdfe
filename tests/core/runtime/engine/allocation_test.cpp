// The engine allocates nothing after its first step. Every allocation of this program is counted.

#include "tests/core/runtime/engine/run_step.h"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace headroom {
namespace {

void check_no_allocation(const Plan& plan, bool strict) {
  test::Engine engine(plan, 2, strict);
  (void)engine.run(1);
  const long before = allocations.load();
  for (std::int64_t step = 2; step <= 5; ++step) (void)engine.run(step);
  BOOST_TEST(allocations.load() - before == 0);
}

BOOST_AUTO_TEST_CASE(the_counter_counts) {
  const long before = allocations.load();
  const auto value = std::make_unique<int>(1);
  BOOST_TEST(allocations.load() - before == 1);
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_after_the_first_step) {
  for (bool strict : {false, true}) {
    check_no_allocation(test::cruncher_plan(64, 3, 32), strict);
    check_no_allocation(test::mlp_plan(ActivationKind::kGelu, LossKind::kCrossEntropy, 19), strict);
    Plan accumulating = test::mlp_plan(ActivationKind::kRelu, LossKind::kMse, 8);
    accumulating.training.gradient_accumulation_steps = 4;
    accumulating.training.grad_clip_norm = 0.5;
    check_no_allocation(accumulating, strict);
  }
}

}  // namespace
}  // namespace headroom
