#pragma once

#include "core/describe/plan.h"
#include "core/describe/units.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace headroom::trainer {

/// What one item of a data set is.
enum class DataKind : std::uint8_t {
  kTokens,  ///< a long line of token numbers, cut anywhere into sequences
  kRows,    ///< independent samples: input columns, then target columns
};

/// What the loss compares with.
enum class TargetKind : std::uint8_t {
  kValues,      ///< `target_columns` f32 values a sample
  kClasses,     ///< one i32 class number a sample
  kNextTokens,  ///< the inputs moved on by one token, i32
};

/// What a model takes in per micro step, and so what a batch must look like in memory.
/// Layout, row-major: rows: inputs f32 (batch, features), targets f32 (batch, target_columns) or
/// i32 (batch). Tokens: inputs and targets i32 (batch, sequence_length).
struct BatchSpec {
  DataKind kind = DataKind::kRows;
  TargetKind targets = TargetKind::kValues;
  std::int64_t batch = 0;            ///< samples per micro step
  std::int64_t sequence_length = 0;  ///< of tokens
  std::int64_t features = 0;         ///< of rows
  std::int64_t target_columns = 1;   ///< of values
  std::int64_t classes = 0;          ///< class numbers, or tokens of the vocabulary, are below this

  [[nodiscard]] Bytes input_bytes() const;
  [[nodiscard]] Bytes target_bytes() const;
};

/// The batch that a plan's model takes in.
[[nodiscard]] BatchSpec batch_spec(const Plan& plan);

/// Where a batch goes: host memory that the trainer owns (pinned for a GPU), exactly as large as
/// BatchSpec says.
struct BatchBuffers {
  std::span<std::byte> inputs;
  std::span<std::byte> targets;
};

}  // namespace headroom::trainer
