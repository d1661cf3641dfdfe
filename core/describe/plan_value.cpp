#include "core/describe/plan_value.h"

#include "core/describe/plan_keys.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headroom {
namespace {

/// Long or unprintable text is cut so that a message stays one line.
std::string shown(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  std::string result;
  for (const char c : text.substr(0, kLongest)) {
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  if (text.size() > kLongest) result += "...";
  return '\'' + result + '\'';
}

std::string shown(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
      return "nothing";
    case ConfigNode::Kind::kScalar:
      return (node.quoted ? "the text " : "") + shown(node.scalar);
    case ConfigNode::Kind::kList:
      return "a list";
    case ConfigNode::Kind::kMap:
      return "a mapping";
  }
  return {};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// Underscores between digits are for the reader only.
std::string without_underscores(std::string text) {
  for (std::size_t i = 1; i + 1 < text.size();) {
    const bool between = text[i] == '_' && std::isdigit(static_cast<unsigned char>(text[i - 1])) &&
                         std::isdigit(static_cast<unsigned char>(text[i + 1]));
    between ? static_cast<void>(text.erase(i, 1)) : static_cast<void>(++i);
  }
  return text;
}

struct Integer {
  std::optional<std::int64_t> value;
  bool too_large = false;  ///< a whole number that 64 bits cannot hold
};

/// Whole numbers, also as `1e6` or `2.0` when nothing is lost.
Integer read_integer(std::string text) {
  text = without_underscores(std::move(text));
  if (text.starts_with('+')) text.erase(0, 1);
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop == end && !text.empty()) {
    if (error == std::errc()) return {.value = number};
    return {.value = std::nullopt, .too_large = true};
  }
  const std::optional<double> real = read_real(text);
  if (!real || std::nearbyint(*real) != *real) return {};
  constexpr double kExact = 9007199254740992.0;  // beyond 2^53 a double may stand for a neighbour
  if (std::abs(*real) > kExact) return {.value = std::nullopt, .too_large = true};
  return {.value = static_cast<std::int64_t>(*real)};
}

std::string expected(const KeySpec& key) {
  switch (key.kind) {
    case KeyKind::kBool:
      return "true or false";
    case KeyKind::kInteger:
      return "a whole number";
    case KeyKind::kReal:
      return "a number";
    case KeyKind::kText:
      return "text";
    case KeyKind::kWord:
      return range_text(key);
    case KeyKind::kIntegers:
      return "a list of whole numbers such as [64, 64]";
    case KeyKind::kReals:
      return "a list of numbers such as [0.9, 0.999]";
  }
  return {};
}

ValueReading wrong_type(const KeySpec& key, const ConfigNode& node) {
  ValueReading reading;
  reading.problem = "expected " + expected(key) + ", got " + shown(node);
  if (node.kind == ConfigNode::Kind::kNull) {
    reading.problem = "has no value: expected " + expected(key);
    reading.hint = "leave the key out to get the default: " + std::string(key.default_text);
  } else if (node.quoted && (key.kind == KeyKind::kInteger || key.kind == KeyKind::kReal)) {
    reading.hint = "leave out the quotes";
  }
  return reading;
}

ValueReading too_large(const KeySpec& key, const ConfigNode& node) {
  ValueReading reading;
  reading.problem = shown(node.scalar) + " is too large: must be " + range_text(key);
  return reading;
}

ValueReading checked(const KeySpec& key, KeyValue value) {
  ValueReading reading;
  if (auto problem = check_value(key, value)) {
    reading.problem = std::move(*problem);
  } else {
    reading.value = std::move(value);
  }
  return reading;
}

/// The word without case and with dashes for underscores, as people mix them up.
std::string plain_word(std::string_view word) {
  std::string plain = lower_case(std::string(word));
  std::replace(plain.begin(), plain.end(), '_', '-');
  return plain;
}

ValueReading read_word(const KeySpec& key, const ConfigNode& node) {
  ValueReading reading;
  const std::string plain = plain_word(node.scalar);
  std::string_view meant;
  for (const Choice& choice : key.choices) {
    if (choice.name == node.scalar) {
      reading.value = node.scalar;
      return reading;
    }
    if (plain_word(choice.name) == plain) meant = choice.name;
  }
  for (const WordAlias& alias : key.word_aliases) {
    if (plain_word(alias.word) == plain) meant = alias.stands_for;
  }
  if (!meant.empty()) {
    reading.value = std::string(meant);
    reading.note = shown(node.scalar) + " is read as " + std::string(meant);
    return reading;
  }
  reading.problem = shown(node.scalar) + " is not known: must be " + range_text(key);
  const std::string nearest = nearest_word(node.scalar, key.choices);
  if (!nearest.empty()) reading.hint = "did you mean " + nearest + '?';
  return reading;
}

ValueReading read_integers(const KeySpec& key, const ConfigNode& node) {
  std::vector<std::int64_t> items;
  for (const ConfigNode& item : node.items) {
    if (item.kind != ConfigNode::Kind::kScalar || item.quoted) return wrong_type(key, item);
    const Integer number = read_integer(item.scalar);
    if (number.too_large) return too_large(key, item);
    if (!number.value) return wrong_type(key, item);
    items.push_back(*number.value);
  }
  return checked(key, std::move(items));
}

ValueReading read_reals(const KeySpec& key, const ConfigNode& node) {
  std::vector<double> items;
  for (const ConfigNode& item : node.items) {
    if (item.kind != ConfigNode::Kind::kScalar || item.quoted) return wrong_type(key, item);
    const std::optional<double> number = read_real(item.scalar);
    if (!number) return wrong_type(key, item);
    items.push_back(*number);
  }
  return checked(key, std::move(items));
}

ValueReading read_number(const KeySpec& key, const ConfigNode& node) {
  if (node.quoted) return wrong_type(key, node);
  if (key.kind == KeyKind::kInteger) {
    const Integer number = read_integer(node.scalar);
    if (number.too_large) return too_large(key, node);
    return number.value ? checked(key, *number.value) : wrong_type(key, node);
  }
  const std::optional<double> number = read_real(node.scalar);
  return number ? checked(key, *number) : wrong_type(key, node);
}

}  // namespace

std::optional<bool> read_bool(const ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::kScalar || node.quoted) return std::nullopt;
  const std::string word = lower_case(node.scalar);
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

std::optional<double> read_real(std::string text) {
  text = without_underscores(std::move(text));
  if (text.starts_with('+')) text.erase(0, 1);
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool whole = stop == end && error == std::errc() && !text.empty();
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

ValueReading read_value(const KeySpec& key, const ConfigNode& node) {
  const bool list = key.kind == KeyKind::kIntegers || key.kind == KeyKind::kReals;
  if (node.kind != (list ? ConfigNode::Kind::kList : ConfigNode::Kind::kScalar)) {
    return wrong_type(key, node);
  }
  switch (key.kind) {
    case KeyKind::kBool: {
      const std::optional<bool> flag = read_bool(node);
      return flag ? checked(key, *flag) : wrong_type(key, node);
    }
    case KeyKind::kInteger:
    case KeyKind::kReal:
      return read_number(key, node);
    case KeyKind::kText:
      return checked(key, node.scalar);
    case KeyKind::kWord:
      return read_word(key, node);
    case KeyKind::kIntegers:
      return read_integers(key, node);
    case KeyKind::kReals:
      return read_reals(key, node);
  }
  return wrong_type(key, node);
}

}  // namespace headroom
