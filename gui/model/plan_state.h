#pragma once

#include "core/describe/plan_resolve.h"
#include "core/describe/plan_schema.h"

#include <span>
#include <string>
#include <vector>

namespace headroom::gui {

/// A plan while it is edited: what its author gave, and everything that follows from it.
struct PlanState {
  Plan plan;
  Origins given;
  std::vector<Problem> problems;  ///< of the keys together; only without any can it be estimated
};

/// Equal for everyone who reads the plan: the same values, and the same keys given.
[[nodiscard]] bool same_plan(const PlanState& a, const PlanState& b);

/// One change: a new value for a key, or back to its default when `value` is unset.
struct KeyEdit {
  std::string path;
  KeyValue value;
};

/// The state after some changes made at once. Given keys that stop to mean anything (those of the
/// optimizer or model family before) are dropped, and required keys that begin to mean something
/// get a starting value, so that every choice of a combo box leaves a plan that can be judged.
/// Errors: Error when a key is unknown or a value has not its type.
[[nodiscard]] PlanState edited(const PlanState& state, std::span<const KeyEdit> edits);

/// The changes that a suggestion's words (`training.micro_batch_size=32 ...`) stand for.
/// Errors: ConfigError when a word cannot be read.
[[nodiscard]] std::vector<KeyEdit> edits_of_words(const std::string& words);

/// A value for `key` from what a person typed. `problem` says what is wrong with it, if anything.
struct TypedValue {
  KeyValue value;
  std::string problem;
};
[[nodiscard]] TypedValue typed_value(const KeySpec& key, const std::string& text);

/// The command that estimates `state`, which `saved` is the file's contents of:
/// `headroom estimate plan.yaml training.micro_batch_size=64`, quoted for a shell.
[[nodiscard]] std::string command_line(const PlanState& state,
                                       const PlanState& saved,
                                       const std::string& path);

}  // namespace headroom::gui
