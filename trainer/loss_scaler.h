#pragma once

#include <cstdint>

namespace headroom::trainer {

/// What f16 losses are multiplied with, so that small gradients do not vanish: halved, and the step
/// skipped, when a gradient overflowed; doubled after 2000 steps in a row without that.
/// Source: torch.amp.GradScaler and its defaults.
class LossScaler {
 public:
  /// All that a checkpoint has to keep.
  struct State {
    double scale = 65536;
    std::int64_t clean_steps = 0;    ///< since the scale changed last
    std::int64_t skipped_steps = 0;  ///< in the whole run
    friend bool operator==(const State&, const State&) = default;
  };
  static constexpr std::int64_t kGrowthInterval = 2000;

  LossScaler() = default;
  explicit LossScaler(const State& state) : state_(state) {}
  [[nodiscard]] const State& state() const { return state_; }
  /// After every step. Errors: runtime::Diverged when gradients overflow without any scale.
  void update(bool overflowed, std::int64_t step);

 private:
  State state_;
};

}  // namespace headroom::trainer
