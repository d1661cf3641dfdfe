#include "core/describe/plan_schema.h"

#include "core/describe/format.h"
#include "core/describe/plan_schema_parts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace headroom {
namespace {

constexpr std::array kSections = {
    SectionSpec{"model", "What is trained."},
    SectionSpec{"model.rope_scaling", "How rotary positions are stretched.",
                "model.rope_scaling.rope_type"},
    SectionSpec{"training", "How it is trained."},
    SectionSpec{"training.optimizer", "How weights follow gradients.", "training.optimizer.name",
                true},
    SectionSpec{"training.lr_schedule", "How the learning rate changes.",
                "training.lr_schedule.name", true},
    SectionSpec{"data", "What it is trained on."},
    SectionSpec{"parallel", "How one step is spread over GPUs."},
    SectionSpec{"hardware", "What it runs on."},
    SectionSpec{"output", "What is written, where and how often."},
};

std::vector<KeySpec> build_schema() {
  std::vector<KeySpec> all;
  for (auto part :
       {schema::model_keys, schema::transformer_keys, schema::training_keys, schema::optimizer_keys,
        schema::run_keys, schema::data_keys, schema::parallel_keys, schema::place_keys}) {
    std::vector<KeySpec> keys = part();
    std::move(keys.begin(), keys.end(), std::back_inserter(all));
  }
  return all;
}

const std::vector<KeySpec>& schema_table() {
  static const std::vector<KeySpec> table = build_schema();
  return table;
}

std::string limit_text(double limit) {
  if (limit == schema::kLargestSize) return "2^40";
  if (limit == schema::kLargestCount) return "2^53";
  return number_text(limit);
}

std::string lower_text(const KeyLimits& limits) {
  return (limits.min_excluded ? "above " : "at least ") + limit_text(limits.min);
}

std::string upper_text(const KeyLimits& limits) {
  return (limits.max_excluded ? "below " : "at most ") + limit_text(limits.max);
}

/// `text` is the number as it should be shown.
std::optional<std::string> check_number(const KeyLimits& limits,
                                        double number,
                                        const std::string& text) {
  if (!std::isfinite(number)) return text + " is not a number that can be used here";
  if (number < limits.min || (limits.min_excluded && number == limits.min)) {
    return text + " is too small: must be " + lower_text(limits);
  }
  if (number > limits.max || (limits.max_excluded && number == limits.max)) {
    return text + " is too large: must be " + upper_text(limits);
  }
  return std::nullopt;
}

template <class T>
std::optional<std::string> check_items(const KeyLimits& limits, const std::vector<T>& items) {
  if (items.size() < limits.min_items || items.size() > limits.max_items) {
    std::string wanted = std::to_string(limits.min_items);
    if (limits.max_items != limits.min_items) wanted += " to " + std::to_string(limits.max_items);
    return format_counted(static_cast<std::int64_t>(items.size()), "item") +
           ", but there must be " + wanted;
  }
  for (const T& item : items) {
    if (auto wrong = check_number(limits, static_cast<double>(item), to_text(KeyValue(item)))) {
      return wrong;
    }
  }
  return std::nullopt;
}

std::string word_list(std::span<const Choice> choices) {
  std::string text;
  for (const Choice& choice : choices) {
    if (!text.empty()) text += ", ";
    text += choice.name;
  }
  return text;
}

bool has_type(KeyKind kind, const KeyValue& value) {
  switch (kind) {
    case KeyKind::kBool:
      return std::holds_alternative<bool>(value);
    case KeyKind::kInteger:
      return std::holds_alternative<std::int64_t>(value);
    case KeyKind::kReal:
      return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
    case KeyKind::kText:
    case KeyKind::kWord:
      return std::holds_alternative<std::string>(value);
    case KeyKind::kIntegers:
      return std::holds_alternative<std::vector<std::int64_t>>(value);
    case KeyKind::kReals:
      return std::holds_alternative<std::vector<double>>(value);
  }
  return false;
}

template <class T>
std::string list_text(const std::vector<T>& items) {
  std::string text = "[";
  for (const T& item : items) {
    if (text.size() > 1) text += ", ";
    text += to_text(KeyValue(item));
  }
  return text + ']';
}

}  // namespace

namespace schema {
void refuse_value(const KeyValue& value) {
  throw Error("a plan key was set to '" + to_text(value) + "', which is not of its type");
}
}  // namespace schema

std::string_view KeySpec::leaf() const {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::string_view KeySpec::section() const {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

bool KeySpec::applies_to(const Plan& plan) const {
  return not_applicable == nullptr || not_applicable(plan).empty();
}

std::span<const KeySpec> plan_schema() { return schema_table(); }

std::span<const SectionSpec> plan_sections() { return kSections; }

const KeySpec* find_key(std::string_view path) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const KeySpec*> by_path;
    for (const KeySpec& key : schema_table()) by_path.emplace(key.path, &key);
    return by_path;
  }();
  const auto found = index.find(path);
  return found == index.end() ? nullptr : found->second;
}

const SectionSpec* find_section(std::string_view path) {
  const auto* found =
      std::find_if(kSections.begin(), kSections.end(),
                   [&](const SectionSpec& section) { return section.path == path; });
  return found == kSections.end() ? nullptr : found;
}

std::optional<std::string> check_value(const KeySpec& key, const KeyValue& value) {
  if (!has_type(key.kind, value)) return "'" + to_text(value) + "' is not of the right type";
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return check_number(key.limits, static_cast<double>(*number), to_text(value));
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return check_number(key.limits, *number, to_text(value));
  }
  if (const auto* items = std::get_if<std::vector<std::int64_t>>(&value)) {
    return check_items(key.limits, *items);
  }
  if (const auto* items = std::get_if<std::vector<double>>(&value)) {
    return check_items(key.limits, *items);
  }
  if (key.kind == KeyKind::kText) {
    const std::string& text = std::get<std::string>(value);
    if (text.empty()) return "is empty";
    const bool unprintable = std::any_of(text.begin(), text.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (unprintable) return "contains characters that cannot be printed";
  }
  if (key.kind == KeyKind::kWord) {
    const std::string& word = std::get<std::string>(value);
    const bool known = std::any_of(key.choices.begin(), key.choices.end(),
                                   [&](const Choice& choice) { return choice.name == word; });
    if (!known) return "'" + word + "' is not known: must be one of " + word_list(key.choices);
  }
  return std::nullopt;
}

std::string range_text(const KeySpec& key) {
  if (key.kind == KeyKind::kWord) return "one of " + word_list(key.choices);
  std::string text;
  if (std::isfinite(key.limits.min)) text = lower_text(key.limits);
  if (std::isfinite(key.limits.max)) {
    if (!text.empty()) text += ", ";
    text += upper_text(key.limits);
  }
  return text;
}

std::string to_text(const KeyValue& value) {
  struct Writer {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::int64_t>& items) const {
      return list_text(items);
    }
    std::string operator()(const std::vector<double>& items) const { return list_text(items); }
  };
  return std::visit(Writer{}, value);
}

std::string number_text(double value) {
  std::array<char, 64> buffer{};
  const double size = std::abs(value);
  const bool short_enough = value == 0 || (size >= 1e-4 && size < 1e15);
  const auto format = short_enough ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  std::string text(buffer.data(), end);
  // 1e-05 is written 1e-5.
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text[exponent + 2] == '0') text.erase(exponent + 2, 1);
  return text;
}

}  // namespace headroom
