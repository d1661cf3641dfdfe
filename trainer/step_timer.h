#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace headroom::trainer {

/// Collects step times of one session. The first steps touch memory and fill caches for the first
/// time and are left out of every rate.
class StepTimer {
 public:
  static constexpr std::size_t kWarmUpSteps = 2;
  /// Only the newest are kept, in a ring that is allocated once.
  static constexpr std::size_t kKept = 512;

  StepTimer() { times_.reserve(kKept); }
  void add(double seconds) {
    if (seen_++ < kWarmUpSteps) return;
    if (times_.size() < kKept) {
      times_.push_back(seconds);
    } else {
      times_[seen_ % kKept] = seconds;
    }
  }
  /// Median of the kept times; nothing before the warm-up is over.
  [[nodiscard]] std::optional<double> median() const {
    if (times_.empty()) return std::nullopt;
    std::vector<double> sorted = times_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

 private:
  std::vector<double> times_;
  std::size_t seen_ = 0;
};

}  // namespace headroom::trainer
