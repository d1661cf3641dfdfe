#include "tests/support/temporary_folder.h"
#include "trainer/data/loader.h"
#include "trainer/data/open_dataset.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <numeric>

namespace headroom {
namespace {

struct TokenFile {
  test::TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "data.i32";
  TokenFile() {
    std::vector<std::int32_t> tokens(1000);
    std::iota(tokens.begin(), tokens.end(), 0);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(tokens.data()),
               static_cast<std::streamsize>(tokens.size() * sizeof(std::int32_t)));
  }
};

// "np.array([...]).tofile(...)", "np.memmap(..., dtype=np.int32)", "start_indices =
// randint(len(data)
// - sequence_length)", "x = data[start:start+sequence_length]"
BOOST_AUTO_TEST_CASE(batches_start_at_random_places_of_a_mapped_file) {
  const TokenFile file;
  DataPlan plan;
  plan.path = file.path.string();
  const trainer::BatchSpec spec{.kind = trainer::DataKind::kTokens,
                                .targets = trainer::TargetKind::kNextTokens,
                                .batch = 16,
                                .sequence_length = 32,
                                .classes = 1000};
  const trainer::Loader loader(trainer::open_dataset(plan, &spec), spec,
                               {.seed = 3, .order = trainer::SampleOrder::kRandom});
  std::vector<std::int32_t> x(16 * 32), y(16 * 32), again(16 * 32);
  const auto load = [&](std::int64_t step, std::vector<std::int32_t>& inputs) {
    loader.load(step, 0,
                {.inputs = std::as_writable_bytes(std::span(inputs)),
                 .targets = std::as_writable_bytes(std::span(y))});
  };
  load(0, x);
  std::vector<std::int32_t> starts;
  for (std::size_t row = 0; row < 16; ++row) {
    const std::int32_t start = x[row * 32];
    BOOST_TEST(start >= 0);
    BOOST_TEST(start < 1000 - 32);
    starts.push_back(start);
    for (std::size_t t = 0; t < 32; ++t) {
      // The file counts up, so a token is its own position.
      BOOST_TEST(x[row * 32 + t] == start + static_cast<std::int32_t>(t));
      BOOST_TEST(y[row * 32 + t] == start + static_cast<std::int32_t>(t) + 1);
    }
  }
  std::sort(starts.begin(), starts.end());
  BOOST_TEST(starts.front() != starts.back());
  load(0, again);
  BOOST_TEST((again == x));  // a seed and a step fix the batch
  load(1, again);
  BOOST_TEST((again != x));
}

}  // namespace
}  // namespace headroom
