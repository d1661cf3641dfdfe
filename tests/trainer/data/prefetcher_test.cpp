#include "trainer/data/prefetcher.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/temporary_folder.h"
#include "tests/trainer/data/buffers.h"
#include "trainer/data/open_dataset.h"
#include "trainer/data/row_dataset.h"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace headroom::trainer {
namespace {

using test::Buffers;
using test::expect_error;

const BatchSpec kSpec{.batch = 8, .features = 3};

std::unique_ptr<RowDataset> counting_rows(std::int64_t rows) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * 4; ++i) values.push_back(static_cast<float>(i));
  DatasetInfo info;
  info.items = rows;
  info.features = 3;
  info.target_columns = 1;
  info.synthetic = true;
  return std::make_unique<RowDataset>(info, std::move(values));
}

struct Ring {
  explicit Ring(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) buffers.emplace_back(kSpec);
  }
  std::vector<BatchBuffers> views() {
    std::vector<BatchBuffers> result;
    for (Buffers& one : buffers) result.push_back(one.view());
    return result;
  }
  std::deque<Buffers> buffers;
};

/// Behaves like the rows it holds, until step 5.
class FailingDataset final : public Dataset {
 public:
  [[nodiscard]] const DatasetInfo& info() const override { return rows_->info(); }
  [[nodiscard]] std::vector<DatasetFact> describe() const override { return rows_->describe(); }
  void check(const BatchSpec& spec) const override { rows_->check(spec); }
  void check_values(const BatchSpec& spec) const override { rows_->check_values(spec); }
  [[nodiscard]] std::int64_t places(const BatchSpec& spec) const override {
    return rows_->places(spec);
  }
  [[nodiscard]] std::int64_t stride(const BatchSpec&) const override { return 1; }
  void read(std::int64_t place,
            std::int64_t sample,
            const BatchSpec& spec,
            const BatchBuffers& to) const override {
    if (++reads_ > 5 * spec.batch) throw IoError("row 40 is damaged");
    rows_->read(place, sample, spec, to);
  }
  void check_unchanged() const override {}

 private:
  std::unique_ptr<RowDataset> rows_ = counting_rows(50);
  mutable std::int64_t reads_ = 0;  ///< only the prefetching thread reads
};

BOOST_AUTO_TEST_SUITE(prefetching)

BOOST_AUTO_TEST_CASE(hands_out_what_the_loader_loads_in_order) {
  const Loader loader(counting_rows(50), kSpec,
                      {.seed = 3, .order = SampleOrder::kShuffle, .accumulation = 3});
  for (const std::size_t size : {2u, 3u, 5u}) {
    Ring ring(size);
    Prefetcher prefetcher(loader, ring.views(), 4, 104);
    Buffers expected(kSpec);
    for (std::int64_t step = 4; step < 104; ++step) {
      for (std::int64_t micro = 0; micro < 3; ++micro) {
        const Prefetcher::Batch batch = prefetcher.acquire();
        BOOST_TEST_REQUIRE(batch.step == step);
        BOOST_TEST_REQUIRE(batch.micro_step == micro);
        loader.load(step, micro, expected.view());
        BOOST_TEST_REQUIRE(ring.buffers[batch.slot].inputs<float>() == expected.inputs<float>());
        BOOST_TEST_REQUIRE(ring.buffers[batch.slot].targets<float>() == expected.targets<float>());
        BOOST_TEST(batch.buffers.inputs.data() == ring.views()[batch.slot].inputs.data());
        prefetcher.release();
      }
    }
    expect_error<Error>([&] { (void)prefetcher.acquire(); }, "all batches of the run");
  }
}

BOOST_AUTO_TEST_CASE(a_batch_stays_as_it_is_until_released) {
  const Loader loader(counting_rows(50), kSpec, {.seed = 3});
  Ring ring(3);
  Prefetcher prefetcher(loader, ring.views(), 0, 50);
  std::deque<std::pair<std::size_t, std::vector<float>>> out;
  for (int step = 0; step < 50; ++step) {
    const Prefetcher::Batch batch = prefetcher.acquire();
    out.emplace_back(batch.slot, ring.buffers[batch.slot].inputs<float>());
    std::this_thread::yield();
    for (const auto& [slot, contents] : out) {
      BOOST_TEST_REQUIRE(ring.buffers[slot].inputs<float>() == contents);
    }
    if (out.size() == 2) {
      out.pop_front();
      prefetcher.release();
    }
  }
}

BOOST_AUTO_TEST_CASE(an_error_reaches_the_consumer_after_the_good_batches) {
  const Loader loader(std::make_unique<FailingDataset>(), kSpec, {.seed = 3});
  Ring ring(2);
  Prefetcher prefetcher(loader, ring.views(), 0, 50);
  for (int step = 0; step < 5; ++step) {
    BOOST_TEST(prefetcher.acquire().step == step);
    prefetcher.release();
  }
  expect_error<IoError>([&] { (void)prefetcher.acquire(); }, "row 40 is damaged");
  expect_error<IoError>([&] { (void)prefetcher.acquire(); }, "row 40 is damaged");
}

BOOST_AUTO_TEST_CASE(stops_at_any_moment) {
  const Loader loader(counting_rows(50), kSpec, {.seed = 3});
  for (int used = 0; used < 20; ++used) {
    Ring ring(2);
    Prefetcher prefetcher(loader, ring.views(), 0, 1000000);
    for (int i = 0; i < used; ++i) {
      (void)prefetcher.acquire();
      prefetcher.release();
    }
  }
  Ring ring(2);
  Prefetcher nothing(loader, ring.views(), 5, 5);
  expect_error<Error>([&] { (void)nothing.acquire(); }, "all batches of the run");
}

BOOST_AUTO_TEST_CASE(wrong_use_is_an_error_and_no_deadlock) {
  const Loader loader(counting_rows(50), kSpec, {.seed = 3});
  Ring one(1);
  expect_error<Error>([&] { Prefetcher(loader, one.views(), 0, 5); }, "at least two buffers");
  Ring ring(2);
  Prefetcher prefetcher(loader, ring.views(), 0, 5);
  expect_error<Error>([&] { prefetcher.release(); }, "no batch is out");
  (void)prefetcher.acquire();
  (void)prefetcher.acquire();
  expect_error<Error>([&] { (void)prefetcher.acquire(); }, "every batch buffer is in use");
}

BOOST_AUTO_TEST_CASE(counts_the_time_waited) {
  const Loader loader(counting_rows(50), kSpec, {.seed = 3});
  Ring ring(2);
  Prefetcher prefetcher(loader, ring.views(), 0, 5);
  (void)prefetcher.acquire();
  BOOST_TEST(prefetcher.waited().value() >= 0.0);
  BOOST_TEST(prefetcher.waited().value() < 60.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
