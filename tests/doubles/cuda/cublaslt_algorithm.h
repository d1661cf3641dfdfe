#pragma once

#include "tests/doubles/cuda/cublaslt_problem.h"

#include <cublasLt.h>

#include <cstdint>

namespace headroom::cuda_double {

/// What the opaque algorithm holds: made for one problem, with the workspace and the alignments of
/// A, B, C and D it needs.
struct AlgorithmData {
  static constexpr std::uint32_t kMagic = 0x4C545F41;
  std::uint32_t magic = kMagic;
  std::uint32_t alignment[4] = {};
  std::uint64_t problem = 0;
  std::uint64_t workspace = 0;
};
static_assert(sizeof(AlgorithmData) <= sizeof(cublasLtMatmulAlgo_t));

/// The alignment a matmul asks of its pointers, and of 16-bit and 8-bit leading dimensions, unless
/// the preference states less.
inline constexpr std::uint32_t kAlignment = 16;

/// Whether leading dimensions and batch strides keep the stated alignments.
Refusal check_strides(const Problem& problem, const std::uint32_t (&alignment)[4]);

/// Bytes in which an algorithm that splits the sum over k would keep its parts.
[[nodiscard]] std::uint64_t wanted_workspace(const Problem& problem, std::uint64_t limit);

}  // namespace headroom::cuda_double
