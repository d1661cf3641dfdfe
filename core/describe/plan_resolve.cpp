#include "core/describe/plan_resolve.h"

#include "core/describe/plan_rules.h"
#include "core/describe/plan_schema.h"

namespace headroom {
namespace {

bool is_stored(const KeySpec& key) { return !key.derived && !key.loader; }

/// The same kind of model with nothing filled in.
Plan blank_like(const Plan& plan) {
  Plan blank;
  blank.model.family = std::visit(
      []<class Family>(const Family&) -> FamilyPlan { return Family{}; }, plan.model.family);
  return blank;
}

void clear_defaults(Plan& plan, const Origins& given) {
  const Plan blank = blank_like(plan);
  for (const KeySpec& key : plan_schema()) {
    if (is_stored(key) && key.path != "model.type" && !given.contains(key.path)) {
      key.access.set(plan, key.access.get(blank));
    }
  }
}

Problem at(const Origins& given, std::string_view key, std::string message, std::string hint = {}) {
  const auto origin = given.find(key);
  return {.where = origin == given.end() ? SourceLocation{} : origin->second.where,
          .key = std::string(key),
          .message = std::move(message),
          .hint = std::move(hint)};
}

std::string missing_hint(const KeySpec& key) {
  std::string hint(key.meaning.substr(0, key.meaning.find(". ")));
  if (hint.ends_with('.')) hint.pop_back();
  const std::string range = range_text(key);
  if (!range.empty()) hint += "; " + range;
  return hint;
}

/// How to get rid of a key that another one rules out. When an override chose that other one, the
/// file need not change.
std::string removal_hint(const KeySpec& key, const Origins& given) {
  const auto chosen_by_word = [&](std::string_view path) -> const std::string* {
    const auto origin = given.find(path);
    if (origin == given.end() || origin->second.where.line > 0) return nullptr;
    const std::string& file = origin->second.where.file;
    return file.starts_with("override ") ? &file : nullptr;
  };
  const std::string* word = chosen_by_word(key.depends_on);
  if (word == nullptr || chosen_by_word(key.path) != nullptr) return "remove it";
  return std::string(key.depends_on) + " is set by " + *word + "; drop this key with it: '~" +
         std::string(key.path) + "'";
}

void fill_default(Plan& plan,
                  const KeySpec& key,
                  const Origins& given,
                  std::vector<Problem>& problems) {
  if (key.fallback == nullptr) {
    problems.push_back(at(given, key.path, "is missing", missing_hint(key)));
    return;
  }
  try {
    const KeyValue value = key.fallback(plan);
    key.access.set(plan, value);
    const bool number = std::holds_alternative<std::int64_t>(value);
    if (const auto wrong = number ? check_value(key, value) : std::nullopt) {
      problems.push_back(at(given, key.path, "the other keys make it " + *wrong));
    }
  } catch (const ShapeError& error) {
    problems.push_back(at(given, key.path, error.what()));
  }
}

/// A product that no number can hold breaks the rule that computes it.
std::optional<BrokenRule> judge(const Rule& rule, const Plan& plan, const Origins& given) {
  try {
    return rule.check(plan, given);
  } catch (const ShapeError& error) {
    return BrokenRule{std::string(rule.keys.back()), error.what(), {}};
  }
}

}  // namespace

std::vector<Problem> resolve(Plan& plan, const Origins& given, const BrokenKeys& broken) {
  std::vector<Problem> problems;
  BrokenKeys unusable = broken;
  clear_defaults(plan, given);
  for (const KeySpec& key : plan_schema()) {
    if (!is_stored(key) || broken.contains(key.path)) continue;
    if (!key.depends_on.empty() && unusable.contains(key.depends_on)) continue;
    const std::size_t before = problems.size();
    const std::string reason = key.not_applicable == nullptr ? "" : key.not_applicable(plan);
    if (given.contains(key.path)) {
      if (!reason.empty()) {
        problems.push_back(
            at(given, key.path, "does not apply here: " + reason, removal_hint(key, given)));
      }
    } else if (reason.empty()) {
      fill_default(plan, key, given, problems);
    }
    if (problems.size() > before) unusable.emplace(key.path);
  }
  for (const Rule& rule : plan_rules()) {
    bool judged = true;
    for (const std::string_view key : rule.keys) judged = judged && !unusable.contains(key);
    if (!judged) continue;
    if (auto broken_rule = judge(rule, plan, given)) {
      problems.push_back(at(given, broken_rule->key, std::move(broken_rule->message),
                            std::move(broken_rule->hint)));
    }
  }
  return problems;
}

std::vector<Problem> problems_before_training(const Plan& plan) {
  std::vector<Problem> problems;
  if (plan.data.path.empty() && !plan.data.synthetic) {
    problems.push_back({.where = {},
                        .key = "data.path",
                        .message = "is missing: a run needs data",
                        .hint = "give data.path, or data.synthetic: true to measure only"});
  }
  return problems;
}

std::string origin_text(const Origins& origins, std::string_view key) {
  const auto origin = origins.find(key);
  if (origin == origins.end()) return "default";
  const SourceLocation& where = origin->second.where;
  if (where.line == 0) return where.file;
  return where.file + ':' + std::to_string(where.line) + ':' + std::to_string(where.column);
}

}  // namespace headroom
