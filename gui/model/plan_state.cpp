#include "gui/model/plan_state.h"

#include "core/describe/config_node.h"
#include "core/describe/plan_override.h"
#include "core/describe/plan_value.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace headroom::gui {
namespace {

const Origin kEdited{.where = {.file = "the window"}};

bool is_stored(const KeySpec& key) { return !key.derived && !key.loader; }

const KeySpec& key_named(const std::string& path) {
  const KeySpec* key = find_key(path);
  if (key == nullptr) throw Error("there is no plan key '" + path + "'");
  return *key;
}

void give(PlanState& state, const KeySpec& key, const KeyValue& value) {
  key.access.set(state.plan, value);
  state.given.insert_or_assign(std::string(key.path), kEdited);
}

/// Of some keys only one may be given: the one just set takes the place of the others.
void drop_rivals(PlanState& state, const KeySpec& key) {
  if (key.exclusive == 0) return;
  for (const KeySpec& other : plan_schema()) {
    if (other.exclusive == key.exclusive && other.path != key.path) {
      state.given.erase(std::string(other.path));
    }
  }
}

void apply(PlanState& state, const KeyEdit& edit) {
  const KeySpec& key = key_named(edit.path);
  const bool off = key.exclusive > 0 && edit.value == KeyValue(false);
  if (off || std::holds_alternative<std::monostate>(edit.value)) {
    state.given.erase(edit.path);
    return;
  }
  give(state, key, edit.value);
  drop_rivals(state, key);
}

/// The middle of a slider, or the smallest value that is allowed.
KeyValue starting_value(const KeySpec& key) {
  const bool log = key.slider.scale == Slider::Scale::kLog;
  double number = std::max(key.limits.min, 0.0);
  if (log) {
    const double steps = std::log(key.slider.max / key.slider.min) / std::log(key.slider.step);
    number = key.slider.min * std::pow(key.slider.step, std::round(steps / 2));
  }
  switch (key.kind) {
    case KeyKind::kInteger:
      return static_cast<std::int64_t>(std::llround(number));
    case KeyKind::kReal:
      return number;
    case KeyKind::kWord:
      return std::string(key.choices.front().name);
    case KeyKind::kBool:
      return false;
    case KeyKind::kText:
      return std::string();
    case KeyKind::kIntegers:
      return std::vector<std::int64_t>();
    case KeyKind::kReals:
      return std::vector<double>();
  }
  return {};
}

/// Drops given keys that mean nothing any more. True when there were some.
bool drop_meaningless(PlanState& state) {
  bool dropped = false;
  for (const KeySpec& key : plan_schema()) {
    const auto given = state.given.find(key.path);
    if (given == state.given.end() || key.applies_to(state.plan)) continue;
    state.given.erase(given);
    dropped = true;
  }
  return dropped;
}

void begin_required(PlanState& state) {
  for (const KeySpec& key : plan_schema()) {
    if (!is_stored(key) || !key.required() || state.given.contains(key.path)) continue;
    if (key.applies_to(state.plan)) give(state, key, starting_value(key));
  }
}

/// Setting one of several exclusive keys drops the others by itself.
bool has_given_rival(const PlanState& state, const KeySpec& key) {
  if (key.exclusive == 0) return false;
  return std::any_of(plan_schema().begin(), plan_schema().end(), [&](const KeySpec& other) {
    return other.exclusive == key.exclusive && state.given.contains(other.path);
  });
}

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./=+:,@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

bool same_plan(const PlanState& a, const PlanState& b) {
  const auto same_key = [](const auto& x, const auto& y) { return x.first == y.first; };
  return a.plan == b.plan &&
         std::equal(a.given.begin(), a.given.end(), b.given.begin(), b.given.end(), same_key);
}

PlanState edited(const PlanState& state, std::span<const KeyEdit> edits) {
  PlanState next = state;
  for (const KeyEdit& edit : edits) apply(next, edit);
  // A dropped key may turn others meaningless; the chain is as short as the schema's.
  do {
    begin_required(next);
    next.problems = resolve(next.plan, next.given);
  } while (drop_meaningless(next));
  return next;
}

TypedValue typed_value(const KeySpec& key, const std::string& text) {
  if (key.kind == KeyKind::kText) {
    if (const auto wrong = check_value(key, KeyValue(text)); wrong && !text.empty()) {
      return {{}, *wrong};
    }
    return {text.empty() ? KeyValue() : KeyValue(text), {}};
  }
  try {
    const bool list = key.kind == KeyKind::kIntegers || key.kind == KeyKind::kReals;
    const bool bare = list && text.find('[') == std::string::npos;
    const ConfigNode node = parse_override_value(bare ? "[" + text + "]" : text, {});
    ValueReading reading = read_value(key, node);
    if (!reading.problem.empty()) return {{}, reading.problem};
    return {std::move(reading.value), {}};
  } catch (const ConfigError& error) {
    return {{}, error.problems().front().message};
  }
}

std::vector<KeyEdit> edits_of_words(const std::string& words) {
  std::vector<KeyEdit> edits;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw Error("'" + word + "' is no change of a plan");
    const std::string path = word.substr(0, equals);
    TypedValue typed = typed_value(key_named(path), word.substr(equals + 1));
    if (!typed.problem.empty()) throw ConfigError({{{}, path, typed.problem, {}}});
    edits.push_back({path, std::move(typed.value)});
  }
  return edits;
}

std::string command_line(const PlanState& state, const PlanState& saved, const std::string& path) {
  std::string line = "headroom estimate " + shell_quoted(path);
  for (const KeySpec& key : plan_schema()) {
    if (!is_stored(key)) continue;
    const bool now = state.given.contains(key.path), before = saved.given.contains(key.path);
    const std::string word(key.path);
    if (before && !now && !has_given_rival(state, key)) {
      line += " " + shell_quoted("~" + word);
    } else if (now) {
      const KeyValue value = key.access.get(state.plan);
      if (before && value == key.access.get(saved.plan)) continue;
      line += " " + shell_quoted(word + "=" + to_text(value));
    }
  }
  return line;
}

}  // namespace headroom::gui
