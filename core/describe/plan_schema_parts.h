#pragma once

#include "core/describe/error.h"
#include "core/describe/plan_schema.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// What the tables of the plan schema are written with. Not for use outside plan_schema_*.cpp.
namespace headroom::schema {

/// The keys of one part of the file, in file order.
[[nodiscard]] std::vector<KeySpec> model_keys();
[[nodiscard]] std::vector<KeySpec> transformer_keys();
[[nodiscard]] std::vector<KeySpec> training_keys();
[[nodiscard]] std::vector<KeySpec> optimizer_keys();
[[nodiscard]] std::vector<KeySpec> run_keys();
[[nodiscard]] std::vector<KeySpec> data_keys();
[[nodiscard]] std::vector<KeySpec> parallel_keys();
[[nodiscard]] std::vector<KeySpec> place_keys();

/// Sizes above this are refused one by one; products are checked when the model is described.
inline constexpr double kLargestSize = 1099511627776.0;  // 2^40
/// Counts that pass 2^40 in real runs (tokens); doubles hold all of them exactly.
inline constexpr double kLargestCount = 9007199254740992.0;  // 2^53

/// Keys of which at most one may be given.
inline constexpr int kRunLength = 1;
inline constexpr int kDataSource = 2;

constexpr KeyLimits between(double min, double max) { return {.min = min, .max = max}; }
constexpr KeyLimits size_from(double min) { return {.min = min, .max = kLargestSize}; }
constexpr KeyLimits positive() { return {.min = 0, .min_excluded = true}; }
constexpr KeyLimits at_least(double min) { return {.min = min}; }

constexpr Slider log_slider(double min, double max, double factor = 2) {
  return {Slider::Scale::kLog, min, max, factor};
}
constexpr Slider linear_slider(double min, double max, double step = 1) {
  return {Slider::Scale::kLinear, min, max, step};
}

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
KeyValue to_value(const T& field) {
  if constexpr (kIsOptional<T>) {
    return field ? to_value(*field) : KeyValue{};
  } else if constexpr (std::is_same_v<T, DType>) {
    return std::string(name(field));
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(name(field));
  } else if constexpr (std::is_same_v<T, bool>) {
    return field;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(field);
  } else {
    return field;
  }
}

[[noreturn]] void refuse_value(const KeyValue& value);

template <class T>
void from_value(const KeyValue& value, T& field) {
  if constexpr (kIsOptional<T>) {
    if (std::holds_alternative<std::monostate>(value)) {
      field.reset();
    } else {
      from_value(value, field.emplace());
    }
  } else if constexpr (std::is_enum_v<T>) {
    const std::string* word = std::get_if<std::string>(&value);
    if (word == nullptr) refuse_value(value);
    std::optional<T> found;
    if constexpr (std::is_same_v<T, DType>) {
      found = dtype_from_name(*word);
    } else {
      found = from_name<T>(*word);
    }
    if (!found) refuse_value(value);
    field = *found;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const std::int64_t* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || !std::in_range<T>(*number)) refuse_value(value);
    field = static_cast<T>(*number);
  } else if constexpr (std::is_same_v<T, double>) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      field = static_cast<double>(*whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
      field = *real;
    } else {
      refuse_value(value);
    }
  } else {
    const T* same = std::get_if<T>(&value);
    if (same == nullptr) refuse_value(value);
    field = *same;
  }
}

/// Access from a lambda that gives the address of the field in a plan, const or not, or nullptr
/// when this plan has no such field.
template <class Find>
KeyAccess field(Find) {
  return {[](const Plan& plan) -> KeyValue {
            const auto* found = Find{}(plan);
            return found == nullptr ? KeyValue{} : to_value(*found);
          },
          [](Plan& plan, const KeyValue& value) {
            if (auto* found = Find{}(plan)) from_value(value, *found);
          }};
}

/// The key has the same default in every plan.
template <auto kValue>
KeyValue always(const Plan&) {
  return to_value(kValue);
}
inline KeyValue unset(const Plan&) { return {}; }

}  // namespace headroom::schema
