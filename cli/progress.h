#pragma once

#include "core/describe/run_records.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace headroom::cli {

/// Steps per second of wall time: with loading, logging and saving between the steps. The first
/// steps of a session, which touch memory for the first time, are left out.
class WallRate {
 public:
  /// `step` of a session that began with `first_step` was done `seconds` after its start.
  void add(std::int64_t first_step, std::int64_t step, double seconds);
  /// Nothing until two moments after the warm-up are known.
  [[nodiscard]] std::optional<double> steps_per_second() const;

 private:
  static constexpr std::int64_t kWarmUpSteps = 2;
  std::optional<std::int64_t> begin_step_;
  double begin_ = 0, last_ = 0;
  std::int64_t last_step_ = 0;
};

/// The line that a training run shows: redrawn at most ten times a second on a terminal, a plain
/// line every half minute otherwise. Goes to standard error.
class Progress {
 public:
  Progress();
  void start(const RunRecord& run);
  void step(const StepRecord& step);
  /// Ends the current line so that other text can follow.
  void pause();

  /// What is shown for a step, without the bar: also used by tests.
  [[nodiscard]] std::string line(const StepRecord& step) const;

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool due(const StepRecord& step);

  bool terminal_;
  bool unicode_;
  RunRecord run_;
  WallRate rate_;
  Clock::time_point begin_, last_;
  std::int64_t shown_ = 0;
  bool line_open_ = false;
};

}  // namespace headroom::cli
