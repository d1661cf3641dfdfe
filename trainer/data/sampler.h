#pragma once

#include "core/runtime/random/philox.h"

#include <cstdint>

namespace headroom::trainer {

/// How samples are drawn from a data set.
enum class SampleOrder : std::uint8_t {
  kRandom,   ///< each begins at a place drawn anew, as in the lecture notes' get_batch
  kShuffle,  ///< epoch after epoch, each goes through all places once in an order of its own
};

/// A one-to-one map of 0 .. n-1 onto itself, chosen by a seed, whose i-th value needs no table.
/// Source: Feistel network with cycle walking, Black and Rogaway 2002, "Ciphers with arbitrary
/// finite domains".
class Permutation {
 public:
  Permutation(std::uint64_t n, runtime::RandomStream keys, std::uint64_t which);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const;

 private:
  /// Few rounds favour some orders of few items; from 10 on, no test of pairs tells (sampler_test).
  static constexpr int kRounds = 12;
  [[nodiscard]] std::uint64_t encrypt(std::uint64_t x) const;

  std::uint64_t n_;
  int half_bits_;
  std::uint64_t keys_[kRounds];
};

/// Which samples make up a batch: a function of (seed, step, micro step, sample) alone, without any
/// state that moves on. So a resumed run reads exactly what the interrupted one would have, and
/// `accumulation` micro steps of B samples draw the same samples as one of accumulation x B.
class Sampler {
 public:
  struct Options {
    std::uint64_t seed = 0;
    SampleOrder order = SampleOrder::kRandom;
    std::int64_t batch = 1;         ///< samples per micro step and rank
    std::int64_t accumulation = 1;  ///< micro steps per step
    std::int64_t rank = 0;          ///< of the data-parallel ranks
    std::int64_t ranks = 1;
  };

  /// `places` and `stride` as in Dataset. kShuffle uses every stride-th place.
  /// Errors: Error when there is no place.
  Sampler(const Options& options, std::int64_t places, std::int64_t stride);

  /// Number of this sample in the run's endless list of samples, over all ranks.
  [[nodiscard]] std::int64_t sample_number(std::int64_t step,
                                           std::int64_t micro_step,
                                           std::int64_t sample) const;
  /// Where the sample begins in the data set.
  [[nodiscard]] std::int64_t place(std::int64_t step,
                                   std::int64_t micro_step,
                                   std::int64_t sample) const;
  /// Samples per epoch with kShuffle.
  [[nodiscard]] std::int64_t epoch_size() const { return epoch_size_; }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  Options options_;
  std::int64_t places_;
  std::int64_t stride_;
  std::int64_t epoch_size_;
  runtime::RandomStream starts_;
  runtime::RandomStream shuffles_;
};

}  // namespace headroom::trainer
