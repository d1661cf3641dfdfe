#include "trainer/data/sampler.h"

#include "core/describe/error.h"

#include <algorithm>
#include <bit>

namespace headroom::trainer {
namespace {

/// Mixes all bits of x into all bits of the result (the finaliser of MurmurHash3).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

}  // namespace

Permutation::Permutation(std::uint64_t n, runtime::RandomStream keys, std::uint64_t which)
    : n_(n), half_bits_(std::max(1, static_cast<int>(std::bit_width(n - 1) + 1) / 2)) {
  constexpr std::uint64_t kBlocks = kRounds / 2;
  for (std::uint64_t b = 0; b < kBlocks; ++b) {
    const runtime::PhiloxBlock block = keys.block(which * kBlocks + b);
    keys_[2 * b] = block.words[0] | std::uint64_t{block.words[1]} << 32;
    keys_[2 * b + 1] = block.words[2] | std::uint64_t{block.words[3]} << 32;
  }
}

std::uint64_t Permutation::encrypt(std::uint64_t x) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = x >> half_bits_, right = x & mask;
  for (const std::uint64_t key : keys_) {
    const std::uint64_t next = left ^ (mix(right ^ key) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::uint64_t Permutation::operator()(std::uint64_t i) const {
  // The network permutes a power of four of less than 4n; walking on from values outside stays a
  // permutation of those inside, and takes fewer than four turns on average.
  do {
    i = encrypt(i);
  } while (i >= n_);
  return i;
}

Sampler::Sampler(const Options& options, std::int64_t places, std::int64_t stride)
    : options_(options),
      places_(places),
      stride_(stride),
      epoch_size_(places > 0 ? (places - 1) / stride + 1 : 0),
      starts_(options.seed, runtime::stream_id("data.start")),
      shuffles_(options.seed, runtime::stream_id("data.shuffle")) {
  if (places <= 0) throw Error("the data set has no place where a sample could begin");
}

std::int64_t Sampler::sample_number(std::int64_t step,
                                    std::int64_t micro_step,
                                    std::int64_t sample) const {
  const std::int64_t micro_batch = step * options_.accumulation + micro_step;
  return (micro_batch * options_.ranks + options_.rank) * options_.batch + sample;
}

std::int64_t Sampler::place(std::int64_t step, std::int64_t micro_step, std::int64_t sample) const {
  const auto number = static_cast<std::uint64_t>(sample_number(step, micro_step, sample));
  if (options_.order == SampleOrder::kRandom) {
    return static_cast<std::int64_t>(starts_.below(number, static_cast<std::uint64_t>(places_)));
  }
  const auto size = static_cast<std::uint64_t>(epoch_size_);
  const Permutation order(size, shuffles_, number / size);
  return static_cast<std::int64_t>(order(number % size)) * stride_;
}

}  // namespace headroom::trainer
