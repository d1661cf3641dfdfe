#pragma once

#include "core/describe/op.h"

#include <cstdint>

namespace headroom::ops {

/// Positions [begin, end) of a sequence.
struct PositionRange {
  std::int64_t begin = 0, end = 0;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
};

/// Scratch of one head: where its parts start, in elements of the type computed in. Products read
/// operands of the type stored, so that probabilities and slopes of 16-bit operands have 16 bits;
/// wider ones take the place of what they are made from.
struct AttentionScratch {
  std::int64_t width = 0;   ///< elements between rows of scores and of what follows from them
  std::int64_t scores = 0;  ///< (chunk, width)
  std::int64_t probabilities = 0;  ///< (chunk, width), as stored
  std::int64_t gradients = 0;      ///< (chunk, width): of probabilities
  std::int64_t slopes = 0;         ///< (chunk, width), as stored: gradients of scores
  std::int64_t result = 0;         ///< (chunk, head_dim): values summed, or the gradient of q
  std::int64_t sums = 0;           ///< (chunk): sums of exponentials
  std::int64_t k_gradient = 0, v_gradient = 0;  ///< (time, head_dim): summed over all queries
  std::int64_t elements = 0;                    ///< of the whole
};

/// How attention is computed: for every head, chunk of queries by chunk of queries against all keys
/// that some query of the chunk sees. Shared by the op's counts and its kernels.
struct AttentionPlan {
  /// Heads that may be at work at once, however many threads there are: a constant, because the
  /// scratch that is declared must not depend on the machine.
  static constexpr std::int64_t kSlots = 16;

  std::int64_t batch = 0, time = 0, heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t window = 0;  ///< 0: none
  bool causal = true;
  std::int64_t chunk = 1;  ///< queries per chunk, at most `time`

  /// Query heads that share a key and value head.
  [[nodiscard]] std::int64_t group() const { return heads / kv_heads; }
  [[nodiscard]] std::int64_t chunks() const { return (time + chunk - 1) / chunk; }
  [[nodiscard]] PositionRange queries(std::int64_t index) const;
  /// Keys that some of these queries sees.
  [[nodiscard]] PositionRange keys(PositionRange queries) const;
  /// Scores computed, masked ones in the chunks included.
  [[nodiscard]] double scores() const;
  /// Multiply-adds of one of the products of (queries, keys) and head_dim.
  [[nodiscard]] double multiply_adds() const { return scores() * static_cast<double>(head_dim); }
  /// Jobs that run side by side: one for every key and value head of every batch row.
  [[nodiscard]] std::int64_t slots() const;

  [[nodiscard]] AttentionScratch forward_scratch(DType dtype) const;
  [[nodiscard]] AttentionScratch backward_scratch(DType dtype) const;
  [[nodiscard]] Bytes workspace(const AttentionScratch& scratch, DType dtype) const;
};

}  // namespace headroom::ops
