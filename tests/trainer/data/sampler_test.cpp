#include "trainer/data/sampler.h"

#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace headroom::trainer {
namespace {

std::vector<std::int64_t> places_of(const Sampler& sampler,
                                    std::int64_t first_step,
                                    std::int64_t end_step) {
  std::vector<std::int64_t> result;
  for (std::int64_t step = first_step; step < end_step; ++step) {
    for (std::int64_t micro = 0; micro < sampler.options().accumulation; ++micro) {
      for (std::int64_t i = 0; i < sampler.options().batch; ++i) {
        result.push_back(sampler.place(step, micro, i));
      }
    }
  }
  return result;
}

BOOST_AUTO_TEST_SUITE(sampling)

BOOST_AUTO_TEST_CASE(a_permutation_meets_every_value_once) {
  for (const std::uint64_t n :
       {1u, 2u, 3u, 4u, 5u, 16u, 17u, 63u, 64u, 65u, 1000u, 1797u, 65537u}) {
    BOOST_TEST_CONTEXT("n = " << n) {
      const Permutation permutation(n, runtime::RandomStream(7, 1), 3);
      std::vector<bool> seen(n, false);
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t value = permutation(i);
        BOOST_TEST_REQUIRE(value < n);
        BOOST_TEST_REQUIRE(!seen[value]);
        seen[value] = true;
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_order_of_two_items_is_equally_likely) {
  // The pair (value at 2, value at 3) over 20000 permutations of 6. Chi-square of the 30 pairs of
  // different values has 29 degrees of freedom: mean 29, deviation 7.6.
  constexpr int kDraws = 20000;
  std::vector<int> pairs(36);
  for (int which = 0; which < kDraws; ++which) {
    const Permutation permutation(6, runtime::RandomStream(11, 1),
                                  static_cast<std::uint64_t>(which));
    ++pairs[permutation(2) * 6 + permutation(3)];
  }
  double chi_square = 0;
  for (std::size_t i = 0; i < 36; ++i) {
    if (i / 6 == i % 6) {
      BOOST_TEST(pairs[i] == 0);
      continue;
    }
    const double expected = kDraws / 30.0;
    chi_square += (pairs[i] - expected) * (pairs[i] - expected) / expected;
  }
  BOOST_TEST(chi_square < 29 + 5 * 7.6);
}

BOOST_AUTO_TEST_CASE(resuming_replays_nothing_and_skips_nothing) {
  for (const SampleOrder order : {SampleOrder::kRandom, SampleOrder::kShuffle}) {
    const Sampler::Options options{.seed = 5, .order = order, .batch = 7, .accumulation = 3};
    const std::vector<std::int64_t> whole = places_of(Sampler(options, 100, 1), 0, 40);
    for (const std::int64_t stop : {1, 13, 39}) {
      std::vector<std::int64_t> parts = places_of(Sampler(options, 100, 1), 0, stop);
      const std::vector<std::int64_t> rest = places_of(Sampler(options, 100, 1), stop, 40);
      parts.insert(parts.end(), rest.begin(), rest.end());
      BOOST_TEST(parts == whole, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(how_a_step_is_split_does_not_change_its_samples) {
  const std::vector<std::int64_t> one =
      places_of(Sampler({.seed = 1, .batch = 24, .accumulation = 1}, 1000, 1), 0, 5);
  const std::vector<std::int64_t> four =
      places_of(Sampler({.seed = 1, .batch = 6, .accumulation = 4}, 1000, 1), 0, 5);
  BOOST_TEST(one == four, boost::test_tools::per_element());

  // Two ranks share the samples of the step between them.
  std::vector<std::int64_t> ranks;
  for (std::int64_t micro = 0; micro < 2; ++micro) {
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      const Sampler sampler({.seed = 1, .batch = 6, .accumulation = 2, .rank = rank, .ranks = 2},
                            1000, 1);
      for (std::int64_t i = 0; i < 6; ++i) ranks.push_back(sampler.place(0, micro, i));
    }
  }
  const std::vector<std::int64_t> first_step(one.begin(), one.begin() + 24);
  BOOST_TEST(ranks == first_step, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_epoch_goes_through_everything_once_in_an_order_of_its_own) {
  const Sampler sampler({.seed = 9, .order = SampleOrder::kShuffle, .batch = 10}, 50, 1);
  BOOST_TEST(sampler.epoch_size() == 50);
  std::vector<std::vector<std::int64_t>> epochs;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::int64_t> places = places_of(sampler, epoch * 5, epoch * 5 + 5);
    const std::set<std::int64_t> distinct(places.begin(), places.end());
    BOOST_TEST(distinct.size() == 50u);
    BOOST_TEST(*distinct.rbegin() == 49);
    BOOST_TEST(!std::is_sorted(places.begin(), places.end()));
    epochs.push_back(std::move(places));
  }
  BOOST_TEST((epochs[0] != epochs[1] && epochs[1] != epochs[2]));
  const Sampler other({.seed = 10, .order = SampleOrder::kShuffle, .batch = 10}, 50, 1);
  BOOST_TEST((places_of(other, 0, 5) != epochs[0]));
}

BOOST_AUTO_TEST_CASE(shuffled_sequences_do_not_overlap) {
  // 10 tokens, sequences of 3: starts 0 .. 6 leave room for the token after; 0, 3 and 6 share none.
  const Sampler sampler({.seed = 2, .order = SampleOrder::kShuffle, .batch = 3}, 7, 3);
  BOOST_TEST(sampler.epoch_size() == 3);
  std::vector<std::int64_t> places = places_of(sampler, 0, 1);
  std::sort(places.begin(), places.end());
  BOOST_TEST(places == (std::vector<std::int64_t>{0, 3, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(random_starts_reach_every_place_equally_often) {
  // 10000 draws from 10 places: 1000 each, deviation 30.
  const Sampler sampler({.seed = 3, .batch = 10000}, 10, 1);
  std::vector<int> counts(10);
  for (const std::int64_t place : places_of(sampler, 0, 1)) {
    BOOST_TEST_REQUIRE((place >= 0 && place < 10));
    ++counts[static_cast<std::size_t>(place)];
  }
  for (const int count : counts) BOOST_TEST(std::abs(count - 1000) < 150);
}

BOOST_AUTO_TEST_CASE(refuses_a_data_set_without_places) {
  BOOST_CHECK_THROW(Sampler({}, 0, 1), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::trainer
