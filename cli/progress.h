#pragma once

#include "core/describe/run_records.h"

#include <chrono>
#include <string>

namespace headroom::cli {

/// Time left, from the steps of this session: the mean of recent step times, weighted so that
/// newer ones count more and corrected for the short start. The first steps are left out.
class Eta {
 public:
  void add(double step_s);
  /// Seconds for `steps` more; negative while unknown.
  [[nodiscard]] double seconds_for(std::int64_t steps) const;

 private:
  static constexpr double kDecay = 0.9;
  static constexpr int kWarmUpSteps = 2;
  double sum_ = 0, weight_ = 0;
  int seen_ = 0;
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
  Eta eta_;
  Clock::time_point begin_, last_;
  std::int64_t shown_ = 0;
  bool line_open_ = false;
};

}  // namespace headroom::cli
