#pragma once

#include "core/describe/plan.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headroom {

enum class KeyKind : std::uint8_t { kBool, kInteger, kReal, kText, kWord, kIntegers, kReals };

/// The value of one plan key, whatever its type. Words of enums are text; monostate is unset.
using KeyValue = std::variant<std::monostate,
                              bool,
                              std::int64_t,
                              double,
                              std::string,
                              std::vector<std::int64_t>,
                              std::vector<double>>;

/// What a number may be. For lists the limits hold for each item.
struct KeyLimits {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;
  bool max_excluded = false;
  std::size_t min_items = 0;
  std::size_t max_items = 1000;
};

/// How a form offers a number: the useful part of its range, not its limits.
struct Slider {
  enum class Scale : std::uint8_t { kNone, kLinear, kLog };
  Scale scale = Scale::kNone;
  double min = 0, max = 0;
  double step = 1;  ///< what one step adds (linear) or multiplies by (log)
};

/// Another spelling that people know. With `if_true` the old key is a switch: `gradient_
/// checkpointing: true` stands for `activation_checkpointing: full`.
struct KeyAlias {
  std::string_view word;
  std::string_view if_true = {};
  std::string_view if_false = {};
  bool ratio_of_steps = false;  ///< the value is a fraction of `training.max_steps`
};

/// Another spelling of a value: `precision: bf16` stands for `bf16-mixed`.
struct WordAlias {
  std::string_view word;
  std::string_view stands_for;
};

/// Typed access to one field of a plan. Setting a field that the plan's model family lacks does
/// nothing; getting it gives monostate.
struct KeyAccess {
  KeyValue (*get)(const Plan&) = nullptr;
  void (*set)(Plan&, const KeyValue&) = nullptr;
};

/// Everything there is to know about one key: the single source for reading plan files, `list
/// keys`, `explain`, the comments of written plans and the window's form.
struct KeySpec {
  std::string_view path;  ///< dotted: `training.optimizer.lr`
  KeyKind kind = KeyKind::kText;
  std::string_view unit = {};
  std::string_view default_text = {};  ///< `required` when there is none
  KeyLimits limits = {};
  Slider slider = {};
  std::span<const Choice> choices = {};  ///< the words of kWord
  std::string_view meaning = {};
  std::string_view memory = {};  ///< what it does to memory; empty: nothing
  std::string_view time = {};    ///< what it does to step time; empty: nothing
  std::vector<KeyAlias> aliases = {};
  std::vector<WordAlias> word_aliases = {};
  bool flat = false;     ///< also understood one or more levels too high, e.g. `lr:` at the top
  bool derived = false;  ///< computed from other keys; may be written, and must then agree
  bool loader = false;   ///< acted on and removed by whoever opens the file (`model.config`)
  int exclusive = 0;     ///< of the keys with the same number above 0, at most one may be given
  KeyAccess access = {};
  /// The value when the key is not given, from the keys before it; null when it must be given.
  KeyValue (*fallback)(const Plan&) = nullptr;
  /// The key that `fallback` and `not_applicable` look at most; while its value is wrong, neither
  /// is asked. Empty: none.
  std::string_view depends_on = {};
  /// Empty when the key means something in this plan, otherwise why it does not.
  std::string (*not_applicable)(const Plan&) = nullptr;

  [[nodiscard]] std::string_view leaf() const;     ///< `lr`
  [[nodiscard]] std::string_view section() const;  ///< `training.optimizer`; empty at the top
  [[nodiscard]] bool applies_to(const Plan& plan) const;
  [[nodiscard]] bool required() const { return fallback == nullptr && !derived; }
};

/// A mapping of the plan file.
struct SectionSpec {
  std::string_view path;
  std::string_view meaning;
  std::string_view shorthand = {};  ///< the key that a single word stands for: `optimizer: adamw`
  bool flat = false;  ///< also understood at the top: `optimizer:` outside `training:`
};

/// Every key, sections in file order, each key after those its default depends on.
[[nodiscard]] std::span<const KeySpec> plan_schema();
[[nodiscard]] std::span<const SectionSpec> plan_sections();
/// The key with this canonical path, or nullptr.
[[nodiscard]] const KeySpec* find_key(std::string_view path);
[[nodiscard]] const SectionSpec* find_section(std::string_view path);

/// Nothing when `value` has the key's type and lies within its limits; otherwise what is wrong,
/// e.g. `-3 is too small: must be at least 1`.
[[nodiscard]] std::optional<std::string> check_value(const KeySpec& key, const KeyValue& value);
/// `at least 1, at most 4096`, `one of a, b, c`; empty when anything goes.
[[nodiscard]] std::string range_text(const KeySpec& key);
/// The value as it would be written in a plan file, strings without quotes; empty when unset.
[[nodiscard]] std::string to_text(const KeyValue& value);
/// Shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

}  // namespace headroom
