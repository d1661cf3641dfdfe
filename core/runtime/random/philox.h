#pragma once

#include "core/describe/hd.h"

#include <cmath>
#include <cstdint>
#include <string_view>

namespace headroom::runtime {

/// A 128-bit counter, or the 128 random bits it is turned into.
struct PhiloxBlock {
  std::uint32_t words[4];
};

/// Philox4x32-10: a bijection of the counter, chosen by the key, whose values pass as random. There
/// is no state, so any value can be had at once, in any order, on any thread or device.
/// Source: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", section 3.3.
[[nodiscard]] HEADROOM_HD PhiloxBlock philox4x32(PhiloxBlock counter,
                                                 std::uint32_t key0,
                                                 std::uint32_t key1) {
  std::uint32_t c0 = counter.words[0], c1 = counter.words[1];
  std::uint32_t c2 = counter.words[2], c3 = counter.words[3];
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * c2;
    const std::uint32_t next0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ key0;
    const std::uint32_t next2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ key1;
    c1 = static_cast<std::uint32_t>(product1);
    c3 = static_cast<std::uint32_t>(product0);
    c0 = next0;
    c2 = next2;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

/// Number of a stream by its name, such as a parameter's: FNV-1a with 64 bits.
[[nodiscard]] constexpr std::uint64_t stream_id(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

/// Uniform in [0, 1) on the grid of 2^-24, every point of which a float holds.
[[nodiscard]] HEADROOM_HD float uniform_from_bits(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1p-24f;
}

struct NormalPair {
  float first, second;
};

/// Two independent standard normal values from 64 random bits (Box and Muller 1958). None lies
/// further out than 6.77, since the 2^-33 nearest to zero has to do for all smaller numbers.
[[nodiscard]] HEADROOM_HD NormalPair normals_from_bits(std::uint32_t a, std::uint32_t b) {
  // Never 0; the largest values round to 1, whose logarithm is 0 and gives a normal value of 0.
  const float u = (static_cast<float>(a) + 0.5f) * 0x1p-32f;
#ifdef __CUDA_ARCH__
  const float radius = sqrtf(-2.0f * logf(u));
  float sine, cosine;
  sincospif(2.0f * uniform_from_bits(b), &sine, &cosine);
#else
  const float radius = std::sqrt(-2.0f * std::log(u));
  const float angle = 6.28318530717958648f * uniform_from_bits(b);
  const float sine = std::sin(angle), cosine = std::cos(angle);
#endif
  return {radius * cosine, radius * sine};
}

/// An endless array of random values: the i-th is a function of seed, stream and i alone, so the
/// number of threads, their order and a restart change nothing. Streams of one seed never overlap.
/// Each function below reads the same bits in its own way: use one stream for one kind of value.
/// Host and device agree on bits and uniform values; normal values may differ in the last digits,
/// where the two mathematical libraries do.
/// Threads: every function may be called from any thread.
class RandomStream {
 public:
  HEADROOM_HD RandomStream(std::uint64_t seed, std::uint64_t stream)
      : seed_(seed), stream_(stream) {}

  /// Words 4i to 4i + 3 at once, for loops that need them all.
  [[nodiscard]] HEADROOM_HD PhiloxBlock block(std::uint64_t i) const {
    return encrypt({{low(i), high(i), low(stream_), high(stream_)}});
  }
  /// The i-th 32 random bits.
  [[nodiscard]] HEADROOM_HD std::uint32_t bits(std::uint64_t i) const {
    return block(i / 4).words[i % 4];
  }
  /// The i-th value uniform in [0, 1).
  [[nodiscard]] HEADROOM_HD float uniform(std::uint64_t i) const {
    return uniform_from_bits(bits(i));
  }
  /// The i-th value with mean 0 and standard deviation 1. Values 2k and 2k + 1 share their work.
  [[nodiscard]] HEADROOM_HD float normal(std::uint64_t i) const {
    const PhiloxBlock words = block(i / 4);
    const int pair = static_cast<int>(i % 4 / 2) * 2;
    const NormalPair both = normals_from_bits(words.words[pair], words.words[pair + 1]);
    return i % 2 == 0 ? both.first : both.second;
  }
  /// The i-th integer uniform in [0, n), with n up to 2^64 - 1; 0 for n = 0. No value is favoured:
  /// of the 2^64 draws, the 2^64 mod n that do not divide evenly are thrown away and drawn again,
  /// from the encryption of what was drawn before, so that other indices are not disturbed.
  /// Source: Lemire 2019, "Fast random integer generation in an interval".
  [[nodiscard]] HEADROOM_HD std::uint64_t below(std::uint64_t i, std::uint64_t n) const {
    PhiloxBlock words = block(i);
    for (;;) {
      for (int half = 0; half < 4; half += 2) {
        const std::uint64_t draw =
            words.words[half] | static_cast<std::uint64_t>(words.words[half + 1]) << 32;
        const unsigned __int128 product = static_cast<unsigned __int128>(draw) * n;
        const std::uint64_t remainder = static_cast<std::uint64_t>(product);
        // The division is needed only when the cheap bound does not settle it.
        if (remainder >= n || remainder >= (0 - n) % n) {
          return static_cast<std::uint64_t>(product >> 64);
        }
      }
      words = encrypt(words);
    }
  }

 private:
  [[nodiscard]] static HEADROOM_HD std::uint32_t low(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
  }
  [[nodiscard]] static HEADROOM_HD std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
  }
  [[nodiscard]] HEADROOM_HD PhiloxBlock encrypt(PhiloxBlock counter) const {
    return philox4x32(counter, low(seed_), high(seed_));
  }

  std::uint64_t seed_;
  std::uint64_t stream_;
};

}  // namespace headroom::runtime
