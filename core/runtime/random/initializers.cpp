#include "core/runtime/random/initializers.h"

#include "core/runtime/random/truncated_normal.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace headroom::runtime {
namespace {

/// Four values in units of the initializer's scale, one for each word of a block.
using Quad = std::array<double, 4>;

Quad normal_quad(const PhiloxBlock& block) {
  const NormalPair left = normals_from_bits(block.words[0], block.words[1]);
  const NormalPair right = normals_from_bits(block.words[2], block.words[3]);
  return {left.first, left.second, right.first, right.second};
}

template <class PerWord>
Quad quad_of(const PhiloxBlock& block, const PerWord& value) {
  return {value(block.words[0]), value(block.words[1]), value(block.words[2]),
          value(block.words[3])};
}

template <class T>
T rounded(double value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return T(static_cast<float>(value));
  }
}

/// Writes scale * quad(block) over all values. Pieces of work start at a whole block.
template <class T, class QuadOf>
void fill(std::span<T> values,
          std::uint64_t first,
          double scale,
          const RandomStream& stream,
          const QuadOf& quad) {
  constexpr std::uint64_t kBlocksPerPiece = 1024;
  if (values.empty()) return;
  const std::uint64_t end = first + values.size();
  const std::uint64_t first_block = first / 4;
  const std::uint64_t end_block = (end - 1) / 4 + 1;
  const auto pieces =
      static_cast<std::int64_t>((end_block - first_block - 1) / kBlocksPerPiece + 1);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (pieces > 1)
#endif
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::uint64_t begin = first_block + static_cast<std::uint64_t>(piece) * kBlocksPerPiece;
    const std::uint64_t stop = std::min(begin + kBlocksPerPiece, end_block);
    for (std::uint64_t block = begin; block < stop; ++block) {
      const Quad four = quad(stream.block(block));
      for (std::uint64_t lane = 0; lane < 4; ++lane) {
        const std::uint64_t i = block * 4 + lane;
        if (i >= first && i < end) values[i - first] = rounded<T>(scale * four[lane]);
      }
    }
  }
}

template <class T>
void initialize_as(const Initializer& initializer,
                   const RandomStream& stream,
                   std::span<T> values,
                   std::uint64_t first) {
  const double scale = initializer.scale;
  switch (initializer.kind) {
    case Initializer::Kind::kConstant:
      std::fill(values.begin(), values.end(), rounded<T>(scale));
      break;
    case Initializer::Kind::kNormal:
      fill(values, first, scale, stream, normal_quad);
      break;
    case Initializer::Kind::kUniform:
      fill(values, first, scale, stream, [](const PhiloxBlock& block) {
        return quad_of(block,
                       [](std::uint32_t word) { return 2.0 * uniform_from_bits(word) - 1.0; });
      });
      break;
    case Initializer::Kind::kTruncatedNormal: {
      const TruncatedNormal value(initializer.lower, initializer.upper);
      fill(values, first, scale, stream,
           [&value](const PhiloxBlock& block) { return quad_of(block, value); });
      break;
    }
  }
}

}  // namespace

void initialize(const Initializer& initializer,
                const RandomStream& stream,
                std::span<float> values,
                std::uint64_t first) {
  initialize_as(initializer, stream, values, first);
}
void initialize(const Initializer& initializer,
                const RandomStream& stream,
                std::span<double> values,
                std::uint64_t first) {
  initialize_as(initializer, stream, values, first);
}
void initialize(const Initializer& initializer,
                const RandomStream& stream,
                std::span<bf16> values,
                std::uint64_t first) {
  initialize_as(initializer, stream, values, first);
}
void initialize(const Initializer& initializer,
                const RandomStream& stream,
                std::span<f16> values,
                std::uint64_t first) {
  initialize_as(initializer, stream, values, first);
}

}  // namespace headroom::runtime
