#include "trainer/data/token_dataset.h"

#include "core/describe/error.h"
#include "tests/support/expect.h"
#include "tests/support/temporary_folder.h"
#include "tests/trainer/data/buffers.h"
#include "trainer/data/loader.h"
#include "trainer/data/open_dataset.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

namespace headroom::trainer {
namespace {

using test::Buffers;
using test::bytes_of;
using test::expect_error;
using test::TemporaryFolder;

BatchSpec tokens_spec(std::int64_t batch, std::int64_t length, std::int64_t vocabulary) {
  return {.kind = DataKind::kTokens,
          .targets = TargetKind::kNextTokens,
          .batch = batch,
          .sequence_length = length,
          .classes = vocabulary};
}

/// Tokens 0, 1, 2, ...: each value is its position.
template <class T>
std::string counting(std::size_t count) {
  std::vector<T> tokens(count);
  std::iota(tokens.begin(), tokens.end(), T{0});
  return bytes_of(std::span<const T>(tokens));
}

std::string llmc_header(std::int32_t magic, std::int32_t version, std::int32_t count) {
  std::array<std::int32_t, 256> header{magic, version, count};
  return bytes_of(std::span<const std::int32_t>(header));
}

DataPlan plan_for(const std::filesystem::path& path) {
  DataPlan plan;
  plan.path = path.string();
  return plan;
}

BOOST_AUTO_TEST_SUITE(tokens)

BOOST_AUTO_TEST_CASE(targets_are_the_inputs_moved_on_by_one) {
  const TemporaryFolder folder;
  DataPlan nanogpt = plan_for(folder.write("train.bin", counting<std::uint16_t>(100)));
  DataPlan llmc2 =
      plan_for(folder.write("a.bin", llmc_header(20240520, 1, 100) + counting<std::uint16_t>(100)));
  DataPlan llmc3 =
      plan_for(folder.write("b.bin", llmc_header(20240801, 7, 100) + counting<std::uint32_t>(100)));
  DataPlan raw = plan_for(folder.write("c.i32", counting<std::int32_t>(100)));
  DataPlan bytes = plan_for(folder.write("d.u8", counting<std::uint8_t>(100)));
  const BatchSpec spec = tokens_spec(16, 9, 100);
  std::vector<std::int32_t> expected;
  for (const DataPlan& plan : {nanogpt, llmc2, llmc3, raw, bytes}) {
    BOOST_TEST_CONTEXT(plan.path) {
      const Loader loader(open_dataset(plan, &spec), spec, {.seed = 4});
      BOOST_TEST(loader.dataset().info().items == 100);
      Buffers buffers(spec);
      loader.load(3, 0, buffers.view());
      const auto inputs = buffers.inputs<std::int32_t>();
      const auto targets = buffers.targets<std::int32_t>();
      for (std::int64_t b = 0; b < 16; ++b) {
        const std::int64_t start = loader.sampler().place(3, 0, b);
        BOOST_TEST((start >= 0 && start + 9 <= 99));
        for (std::int64_t t = 0; t < 9; ++t) {
          const auto at = static_cast<std::size_t>(b * 9 + t);
          BOOST_TEST(inputs[at] == start + t);
          BOOST_TEST(targets[at] == start + t + 1);
        }
      }
      if (expected.empty()) expected = inputs;
      BOOST_TEST(inputs == expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(every_start_of_the_notes_is_drawn) {
  // randint(len(data) - sequence_length): 0 .. 10 - 4 - 1.
  const TemporaryFolder folder;
  const BatchSpec spec = tokens_spec(200, 4, 10);
  const Loader loader(
      open_dataset(plan_for(folder.write("a.u16", counting<std::uint16_t>(10))), &spec), spec, {});
  std::vector<std::int64_t> starts;
  for (std::int64_t b = 0; b < 200; ++b) starts.push_back(loader.sampler().place(0, 0, b));
  BOOST_TEST(*std::min_element(starts.begin(), starts.end()) == 0);
  BOOST_TEST(*std::max_element(starts.begin(), starts.end()) == 5);
}

BOOST_AUTO_TEST_CASE(a_token_outside_the_vocabulary_is_reported_with_its_position) {
  const TemporaryFolder folder;
  const BatchSpec spec = tokens_spec(64, 4, 9);
  const auto path = folder.write("a.u16", counting<std::uint16_t>(10));
  const Loader loader(open_dataset(plan_for(path), &spec), spec, {});
  Buffers buffers(spec);
  expect_error<IoError>(
      [&] { loader.load(0, 0, buffers.view()); },
      "token 9 at position 9 of " + path.string() + " is outside the model's vocabulary of 9");
  const std::vector<std::int32_t> negative = {0, 1, -1, 2, 3};
  const auto bad = folder.write("b.i32", bytes_of(std::span<const std::int32_t>(negative)));
  const BatchSpec all = tokens_spec(1, 4, 9);
  const Loader second(open_dataset(plan_for(bad), &all), all, {});
  Buffers one(all);
  expect_error<IoError>([&] { second.load(0, 0, one.view()); }, "token -1 at position 2");
}

BOOST_AUTO_TEST_CASE(all_tokens_are_checked_before_a_run) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.u16", counting<std::uint16_t>(10));
  const auto check = [&](const BatchSpec& spec) {
    open_dataset(plan_for(path), &spec)->check_values(spec);
  };
  check(tokens_spec(1, 4, 10));
  expect_error<ConfigError>([&] { check(tokens_spec(1, 4, 8)); },
                            "token 8 at position 8 of " + path.string() +
                                " is outside the model's vocabulary of 8; so are 2 of 10 tokens");
}

BOOST_AUTO_TEST_CASE(a_sequence_and_its_next_token_must_fit) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.u16", counting<std::uint16_t>(8));
  const BatchSpec fits = tokens_spec(1, 7, 100), too_long = tokens_spec(1, 8, 100);
  BOOST_TEST(open_dataset(plan_for(path), &fits)->places(fits) == 1);
  expect_error<ConfigError>([&] { (void)open_dataset(plan_for(path), &too_long); },
                            "holds 8 tokens, but one sequence needs 9");
}

BOOST_AUTO_TEST_CASE(headers_that_lie_are_refused) {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& contents, std::string_view why) {
    const auto path = folder.write("x.bin", contents);
    expect_error<IoError>([&] { (void)open_dataset(plan_for(path)); }, why);
  };
  const std::string ten = counting<std::uint16_t>(10);
  refuses(llmc_header(20240520, 1, 11) + ten,
          "announces 11 tokens of 2 bytes, but 20 bytes follow");
  refuses(llmc_header(20240520, 1, 9) + ten, "announces 9 tokens");
  refuses(llmc_header(20240520, 1, -5) + ten, "announces -5 tokens");
  refuses(llmc_header(20240520, 1, 0), "announces 0 tokens");
  refuses(llmc_header(20240520, 2, 10) + ten, "its version is 2, expected 1");
  refuses(llmc_header(20240801, 7, 10) + ten, "announces 10 tokens of 4 bytes");
  refuses(llmc_header(20240520, 1, 10).substr(0, 100), "cut off in the header");
}

BOOST_AUTO_TEST_CASE(a_file_without_header_must_hold_whole_tokens) {
  const TemporaryFolder folder;
  DataPlan plan = plan_for(folder.write("odd.bin", "123"));
  plan.format = DataFormat::kTokens;
  expect_error<IoError>([&] { (void)open_dataset(plan); }, "no whole number of 16-bit tokens");
  plan = plan_for(folder.write("empty.bin", ""));
  plan.format = DataFormat::kTokens;
  expect_error<IoError>([&] { (void)open_dataset(plan); }, "it holds no tokens");
}

BOOST_AUTO_TEST_CASE(loading_notices_that_the_file_was_cut) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.u16", counting<std::uint16_t>(10));
  const BatchSpec spec = tokens_spec(1, 4, 100);
  const Loader loader(open_dataset(plan_for(path), &spec), spec, {});
  std::filesystem::resize_file(path, 4);
  Buffers buffers(spec);
  expect_error<IoError>([&] { loader.load(0, 0, buffers.view()); }, "20 bytes when opened, 4 now");
}

BOOST_AUTO_TEST_CASE(describe_names_the_largest_token) {
  const TemporaryFolder folder;
  const auto dataset = open_dataset(plan_for(folder.write("a.u16", counting<std::uint16_t>(10))));
  bool found = false;
  for (const DatasetFact& fact : dataset->describe()) {
    if (fact.name != "largest token") continue;
    found = true;
    BOOST_TEST(fact.value == "9");
  }
  BOOST_TEST(found);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
