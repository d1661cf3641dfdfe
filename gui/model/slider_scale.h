#pragma once

#include "core/describe/plan_schema.h"

namespace headroom::gui {

/// Maps the positions of a slider to the values of a plan key and back.
class SliderScale {
 public:
  explicit SliderScale(const KeySpec& key);

  /// False when the key has no slider.
  [[nodiscard]] bool usable() const { return steps_ > 0; }
  /// Positions go from 0 to this.
  [[nodiscard]] int last_position() const;
  /// The nearest position; values outside the slider's range are at its ends.
  [[nodiscard]] int position_of(const KeyValue& value) const;
  [[nodiscard]] KeyValue value_at(int position) const;
  /// The value `steps` steps further, within the key's limits. Off the grid, the first step leads
  /// to it.
  [[nodiscard]] KeyValue stepped(const KeyValue& value, int steps) const;

 private:
  [[nodiscard]] double number_at(int position) const;
  [[nodiscard]] double grid_position(double number) const;
  [[nodiscard]] KeyValue typed(double number) const;

  KeyKind kind_;
  Slider slider_;
  KeyLimits limits_;
  int steps_ = 0;
  bool zero_first_ = false;  ///< a log slider whose key may also be 0: that is position 0
};

}  // namespace headroom::gui
