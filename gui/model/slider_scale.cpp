#include "gui/model/slider_scale.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace headroom::gui {
namespace {

double as_number(const KeyValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

/// Sliders give short numbers: 0.0013, not 0.00125892.
double rounded(double number, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, number);
  return std::strtod(text, nullptr);
}

}  // namespace

SliderScale::SliderScale(const KeySpec& key)
    : kind_(key.kind), slider_(key.slider), limits_(key.limits) {
  if (slider_.scale == Slider::Scale::kNone) return;
  const double span = slider_.scale == Slider::Scale::kLog
                          ? std::log(slider_.max / slider_.min) / std::log(slider_.step)
                          : (slider_.max - slider_.min) / slider_.step;
  steps_ = static_cast<int>(std::lround(span));
  zero_first_ = slider_.scale == Slider::Scale::kLog && limits_.min == 0 && !limits_.min_excluded;
}

int SliderScale::last_position() const { return steps_ + (zero_first_ ? 1 : 0); }

double SliderScale::number_at(int position) const {
  if (zero_first_ && position <= 0) return 0;
  const int step = position - (zero_first_ ? 1 : 0);
  if (slider_.scale == Slider::Scale::kLog) {
    constexpr int kDigits = 3;
    const double number = slider_.min * std::pow(slider_.step, step);
    return kind_ == KeyKind::kReal ? rounded(number, kDigits) : std::round(number);
  }
  constexpr int kAllDigits = 12;
  return rounded(slider_.min + step * slider_.step, kAllDigits);
}

double SliderScale::grid_position(double number) const {
  const double first = zero_first_ ? 1 : 0;
  if (slider_.scale == Slider::Scale::kLog) {
    if (number <= 0) return 0;
    return first + std::log(number / slider_.min) / std::log(slider_.step);
  }
  return (number - slider_.min) / slider_.step;
}

KeyValue SliderScale::typed(double number) const {
  number = std::clamp(number, limits_.min, limits_.max);
  if (kind_ == KeyKind::kInteger) return static_cast<std::int64_t>(std::llround(number));
  return number;
}

int SliderScale::position_of(const KeyValue& value) const {
  const double position = grid_position(as_number(value));
  return static_cast<int>(std::lround(std::clamp<double>(position, 0, last_position())));
}

KeyValue SliderScale::value_at(int position) const { return typed(number_at(position)); }

KeyValue SliderScale::stepped(const KeyValue& value, int steps) const {
  if (std::holds_alternative<std::monostate>(value)) return value_at(0);
  const double number = as_number(value);
  if (!usable()) return typed(number + steps);
  constexpr double kOnGrid = 0.02;
  const double position = grid_position(number);
  double target = std::round(position) + steps;
  if (std::abs(position - std::round(position)) > kOnGrid) {
    target = steps > 0 ? std::floor(position) + steps : std::ceil(position) + steps;
  }
  if (slider_.scale == Slider::Scale::kLog) target = std::max(target, 0.0);
  const double wanted = number_at(static_cast<int>(target));
  const bool excluded = (limits_.min_excluded && wanted <= limits_.min) ||
                        (limits_.max_excluded && wanted >= limits_.max);
  return excluded ? value : typed(wanted);
}

}  // namespace headroom::gui
