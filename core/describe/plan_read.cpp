#include "core/describe/plan_read.h"

#include "core/describe/plan_collect.h"
#include "core/describe/plan_schema.h"
#include "core/describe/plan_value.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace headroom {
namespace {

constexpr std::string_view kRecompute = "training.activation_checkpointing";
constexpr std::string_view kRecomputeEvery = "training.activation_checkpointing.every";

class PlanReader {
 public:
  PlanReader(const ConfigNode& root, const ConfigNode* preset)
      : file_(root.where.file), is_mapping_(root.kind == ConfigNode::Kind::kMap) {
    found_ = find_keys(root);
    result_.problems = std::move(found_.problems);
    if (preset != nullptr) merge_under(*preset);
  }

  PlanReading run() {
    if (!is_mapping_) return std::move(result_);
    for (const FoundKey& found : found_.keys) {
      if (found.key->path == "model.type") read_key(found);
    }
    for (const KeySpec& key : plan_schema()) {
      if (key.path == "model.type") continue;
      for (const FoundKey& found : found_.keys) {
        if (found.key == &key) read_key(found);
      }
    }
    apply_warmup_ratio();
    finish();
    return std::move(result_);
  }

 private:
  /// Keys of `preset` that the file itself does not give.
  void merge_under(const ConfigNode& preset) {
    FoundKeys below = find_keys(preset);
    result_.problems.insert(result_.problems.end(), below.problems.begin(), below.problems.end());
    for (FoundKey& key : below.keys) {
      const bool given = std::any_of(found_.keys.begin(), found_.keys.end(),
                                     [&](const FoundKey& own) { return own.key == key.key; });
      if (!given) found_.keys.push_back(std::move(key));
    }
  }

  void complain(const FoundKey& found, std::string message, std::string hint = {}) {
    const bool at_value = found.value->where.line > 0;
    result_.problems.push_back({at_value ? found.value->where : found.where, found.written,
                                std::move(message), std::move(hint)});
    broken_.emplace(found.key->path);
  }

  void note(const FoundKey& found, std::string message) {
    result_.loaded.notes.push_back({found.where, found.written, std::move(message), {}});
  }

  void read_key(const FoundKey& found) {
    const KeySpec& key = *found.key;
    if (key.loader) return;
    if (found.alias != nullptr && found.alias->ratio_of_steps) {
      warmup_ratio_ = &found;
      return;
    }
    const std::optional<KeyValue> value = value_of(found);
    if (!value) return;
    if (key.derived) {
      stated_.emplace_back(&found, *value);
      return;
    }
    mark_given(key.path, found.where);
    key.access.set(result_.loaded.plan, *value);
    const bool is_note_worthy = found.renamed() && !is_shorthand(found);
    if (is_note_worthy) note(found, "is read as " + std::string(key.path) + ": " + to_text(*value));
  }

  static bool is_shorthand(const FoundKey& found) {
    return found.alias == nullptr && found.value->kind == ConfigNode::Kind::kScalar &&
           found.written == found.key->section();
  }

  /// Nothing when the value is unusable, or is a switch that is off.
  std::optional<KeyValue> value_of(const FoundKey& found) {
    const KeySpec& key = *found.key;
    if (found.alias != nullptr && !found.alias->if_true.empty()) {
      const bool automatic = found.value->scalar == "auto";
      const std::optional<bool> on = automatic ? true : read_bool(*found.value);
      if (on) {
        const std::string_view word = *on ? found.alias->if_true : found.alias->if_false;
        if (word.empty()) {
          note(found, "is off, so " + std::string(key.path) + " keeps its default");
          return std::nullopt;
        }
        return std::string(word);
      }
    }
    ValueReading reading = read_value(key, *found.value);
    if (!reading.problem.empty()) {
      complain(found, std::move(reading.problem), std::move(reading.hint));
      return std::nullopt;
    }
    if (!reading.note.empty()) note(found, reading.note);
    return std::move(reading.value);
  }

  void mark_given(std::string_view path, const SourceLocation& where) {
    const Origin origin{where, where.line == 0 && where.file != file_};
    result_.loaded.origins[std::string(path)] = origin;
    // `{every: k}` chooses the policy as well.
    if (path == kRecomputeEvery) {
      find_key(kRecompute)->access.set(result_.loaded.plan, KeyValue("every"));
      result_.loaded.origins[std::string(kRecompute)] = origin;
    }
  }

  void apply_warmup_ratio() {
    if (warmup_ratio_ == nullptr) return;
    const FoundKey& found = *warmup_ratio_;
    TrainingPlan& training = result_.loaded.plan.training;
    const std::optional<double> ratio = found.value->kind == ConfigNode::Kind::kScalar
                                            ? read_real(found.value->scalar)
                                            : std::nullopt;
    if (!ratio || *ratio < 0 || *ratio > 1) {
      complain(found, "expected a fraction of the run's steps, from 0 to 1");
    } else if (!training.max_steps) {
      complain(found, "is a fraction of training.max_steps, which is not given",
               "give training.lr_schedule.warmup_steps instead");
    } else {
      training.lr_schedule.warmup_steps =
          static_cast<std::int64_t>(std::ceil(*ratio * static_cast<double>(*training.max_steps)));
      mark_given(found.key->path, found.where);
      note(found, "is read as training.lr_schedule.warmup_steps: " +
                      std::to_string(training.lr_schedule.warmup_steps));
    }
  }

  void mark_suspects() {
    for (const std::string& suspect : found_.suspects) {
      if (suspect.empty()) continue;
      for (const KeySpec& key : plan_schema()) {
        if (key.path == suspect || key.path.starts_with(suspect + '.')) broken_.emplace(key.path);
      }
    }
  }

  void finish() {
    mark_suspects();
    LoadedPlan& loaded = result_.loaded;
    std::vector<Problem> late = resolve(loaded.plan, loaded.origins, broken_);
    const bool resolved = result_.problems.empty() && late.empty();
    for (Problem& problem : late) {
      if (problem.where.file.empty()) problem.where = place_of(problem.key);
      // Tell it in the words of the file.
      for (const FoundKey& found : found_.keys) {
        if (found.key->path == problem.key) problem.key = found.written;
      }
      result_.problems.push_back(std::move(problem));
    }
    if (resolved) check_stated();
    std::stable_sort(result_.problems.begin(), result_.problems.end(),
                     [this](const Problem& a, const Problem& b) { return before(a, b); });
  }

  /// Derived keys that the file states must agree with what the others give.
  void check_stated() {
    for (const auto& [found, value] : stated_) {
      try {
        const KeyValue computed = found->key->access.get(result_.loaded.plan);
        if (computed == value) continue;
        complain(
            *found,
            to_text(value) + " does not agree with the other keys, which give " + to_text(computed),
            "it is " + std::string(found->key->default_text));
      } catch (const ShapeError& error) {
        complain(*found, error.what());
      }
    }
  }

  /// Where a key that was not written would belong: its mapping, or the file.
  SourceLocation place_of(std::string_view key) const {
    SourceLocation place{.file = file_};
    std::size_t longest = 0;
    for (const FoundSection& found : found_.sections) {
      const std::string_view path = found.section->path;
      if (key.starts_with(path) && key.size() > path.size() && path.size() > longest) {
        longest = path.size();
        place = found.where;
      }
    }
    return place;
  }

  /// The plan file's problems from top to bottom, then those of presets and overrides.
  [[nodiscard]] bool before(const Problem& a, const Problem& b) const {
    const auto rank = [&](const Problem& problem) {
      return std::tuple(problem.where.file != file_, problem.where.line, problem.where.column);
    };
    return rank(a) < rank(b);
  }

  std::string file_;
  bool is_mapping_;
  FoundKeys found_;
  PlanReading result_;
  BrokenKeys broken_;
  std::vector<std::pair<const FoundKey*, KeyValue>> stated_;
  const FoundKey* warmup_ratio_ = nullptr;
};

}  // namespace

PlanReading read_plan_collecting(const ConfigNode& root, const ConfigNode* preset) {
  return PlanReader(root, preset).run();
}

LoadedPlan read_plan(const ConfigNode& root) {
  PlanReading reading = read_plan_collecting(root);
  if (!reading.problems.empty()) throw ConfigError(std::move(reading.problems));
  return std::move(reading.loaded);
}

}  // namespace headroom
