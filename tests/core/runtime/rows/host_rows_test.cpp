#include "core/runtime/rows/host_rows.h"

#include "core/runtime/rows/team.h"
#include "tests/core/runtime/rows/programs.h"
#include "tests/core/runtime/rows/reference.h"

#include <boost/test/unit_test.hpp>
#include <omp.h>

#include <atomic>
#include <vector>

namespace headroom::runtime::rows::testing {
namespace {

struct CountVisits {
  int* visits;
  std::atomic<int>* threads_seen;
  std::int64_t elements;

  std::int64_t row_elements() const { return elements; }

  template <class Team>
  void operator()(Team& team, std::int64_t row) const {
    if (omp_in_parallel() != 0) threads_seen->store(omp_get_num_threads());
    team.once([&] { ++visits[row]; });
  }
};

int threads_used(std::int64_t rows, std::int64_t elements) {
  std::vector<int> visits(static_cast<std::size_t>(rows) + 1, 0);
  std::atomic<int> threads{1};
  run_rows_host(CountVisits{visits.data(), &threads, elements}, rows);
  for (std::int64_t row = 0; row < rows; ++row)
    BOOST_TEST(visits[static_cast<std::size_t>(row)] == 1);
  BOOST_TEST(visits.back() == 0);
  return threads;
}

/// Sets OpenMP's thread count for one scope.
class Threads {
 public:
  explicit Threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

BOOST_AUTO_TEST_CASE(every_row_runs_once_and_small_jobs_stay_on_one_thread) {
  const Threads three(3);
  BOOST_TEST(threads_used(0, 1000) == 1);
  BOOST_TEST(threads_used(1, 1'000'000'000) == 1);
  BOOST_TEST(threads_used(100, 10) == 1);
  BOOST_TEST(threads_used(7, kParallelElements) == 3);
  BOOST_TEST(threads_used(2, kParallelElements) == 3);  // fewer rows than threads
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_the_thread_count) {
  constexpr std::int64_t kRows = 37;
  constexpr std::int64_t kColumns = 1111;
  const auto run = [](int threads) {
    const Threads scope(threads);
    OffsetArray<float> x(kRows * kColumns, 0);
    x.fill(1, 5.0);
    run_rows_host(Softmax<float>{x.data(), kColumns}, kRows);
    return x.values();
  };
  const std::vector<double> one = run(1);
  for (const int threads : {2, 3, 4, 5}) BOOST_TEST((run(threads) == one));
}

}  // namespace
}  // namespace headroom::runtime::rows::testing
