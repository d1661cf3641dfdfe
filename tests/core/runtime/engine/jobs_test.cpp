#include "core/runtime/jobs.h"

#include "core/describe/convert.h"
#include "core/runtime/cpu/cpu_backend.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <vector>

namespace headroom::runtime {
namespace {

BOOST_AUTO_TEST_SUITE(jobs)

constexpr double kMuchWork = 1e9;

// With fewer threads than slots, as many, and more.
BOOST_AUTO_TEST_CASE(every_job_runs_once_and_has_its_slot_to_itself) {
  for (int threads : {1, 2, 5}) {
    for (std::int64_t slots : {1, 2, 16}) {
      CpuBackend backend({.threads = threads});
      const JobGrid grid{.outer = 7, .inner = 5, .slots = slots, .multiply_adds = kMuchWork};
      std::array<std::atomic<int>, 35> runs{};
      std::array<std::atomic<int>, 16> in_use{};
      std::atomic<int> clashes{0};
      backend.jobs(grid, [&](CpuThread&, const JobBlock& block) {
        if (block.count != 1 || block.slot < 0 || block.slot >= slots) ++clashes;
        if (++in_use[static_cast<std::size_t>(block.slot)] != 1) ++clashes;
        ++runs[static_cast<std::size_t>(block.outer * grid.inner + block.first)];
        --in_use[static_cast<std::size_t>(block.slot)];
      });
      BOOST_TEST(clashes == 0);
      for (const auto& count : runs) BOOST_TEST(count == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_job_computes_products_of_every_type) {
  CpuBackend backend({.threads = 2});
  const auto check = [&]<class T>(DType dtype) {
    // (1 2) (5 6)   (19 22)
    // (3 4) (7 8) = (43 50), in four jobs.
    const std::array<T, 4> a{T(1), T(2), T(3), T(4)};
    const std::array<T, 4> b{T(5), T(6), T(7), T(8)};
    std::array<float, 16> result{};
    backend.jobs({.outer = 1, .inner = 4, .slots = 2, .dtype = dtype, .multiply_adds = kMuchWork},
                 [&](CpuThread& thread, const JobBlock& block) {
                   thread.matmul({.dtype = dtype,
                                  .c_dtype = DType::kF32,
                                  .m = 2,
                                  .n = 2,
                                  .k = 2,
                                  .a = a.data(),
                                  .b = b.data(),
                                  .c = result.data() + block.first * 4,
                                  .lda = 2,
                                  .ldb = 2,
                                  .ldc = 2});
                 });
    for (std::size_t i = 0; i < 16; ++i) {
      BOOST_TEST(result[i] == (std::array{19.0F, 22.0F, 43.0F, 50.0F})[i % 4]);
    }
  };
  check.operator()<float>(DType::kF32);
  check.operator()<bf16>(DType::kBf16);
  check.operator()<f16>(DType::kF16);
}

// What a GPU does: neighbours along `inner` together, as many as there are slots.
BOOST_AUTO_TEST_CASE(blocks_cover_the_grid_in_order) {
  std::vector<std::array<std::int64_t, 3>> blocks;
  int queue = 0;
  run_jobs_in_blocks(queue, {.outer = 2, .inner = 5, .slots = 3}, [&](int&, const JobBlock& block) {
    BOOST_TEST(block.slot == 0);
    blocks.push_back({block.outer, block.first, block.count});
  });
  const std::vector<std::array<std::int64_t, 3>> expected = {
      {0, 0, 3}, {0, 3, 2}, {1, 0, 3}, {1, 3, 2}};
  BOOST_CHECK(blocks == expected);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::runtime
