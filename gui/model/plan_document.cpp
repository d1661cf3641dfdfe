#include "gui/model/plan_document.h"

#include "core/io/atomic_file.h"
#include "core/io/plan_yaml.h"
#include "gui/model/text.h"

#include <QUndoCommand>
#include <fstream>
#include <new>

namespace headroom::gui {
namespace {

namespace fs = std::filesystem;

/// A step is described op by op; beyond this it would take seconds and gigabytes.
constexpr std::int64_t kMostLayers = 20000;

std::vector<Problem> too_deep(const Plan& plan) {
  const auto* cruncher = std::get_if<CruncherPlan>(&plan.model.family);
  if (cruncher == nullptr || cruncher->num_layers <= kMostLayers) return {};
  return {{.where = {},
           .key = "model.num_layers",
           .message = std::to_string(cruncher->num_layers) + " layers are more than can be shown",
           .hint = "at most " + std::to_string(kMostLayers)}};
}

/// Comment lines at the head of a file up to the first empty line; those of generated keys are not
/// among them.
std::string heading_of(const fs::path& path) {
  std::ifstream file(path);
  std::string heading;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) return heading;
    if (!line.starts_with('#')) break;
    heading += line + '\n';
  }
  return {};
}

}  // namespace

std::vector<Problem> problems_of_exception() {
  try {
    throw;
  } catch (const ConfigError& error) {
    return error.problems();
  } catch (const std::bad_alloc&) {
    return {{{}, {}, "there is not enough memory on this machine for that", {}}};
  } catch (const std::exception& error) {
    return {{{}, {}, error.what(), {}}};
  }
}

/// From one state to another. Steps of one gesture on the same keys merge.
class PlanCommand : public QUndoCommand {
 public:
  PlanCommand(
      PlanDocument& document, PlanState after, std::string keys, int gesture, const QString& text)
      : QUndoCommand(text),
        document_(document),
        before_(document.state()),
        after_(std::move(after)),
        keys_(std::move(keys)),
        gesture_(gesture) {}

  void undo() override { document_.setState(before_); }
  void redo() override { document_.setState(after_); }
  [[nodiscard]] int id() const override { return gesture_ > 0 ? 1 : -1; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = dynamic_cast<const PlanCommand*>(other);
    if (next == nullptr || next->gesture_ != gesture_ || next->keys_ != keys_) return false;
    after_ = next->after_;
    setObsolete(same_plan(before_, after_));
    return true;
  }

 private:
  PlanDocument& document_;
  PlanState before_, after_;
  std::string keys_;
  int gesture_;
};

PlanDocument::PlanDocument(HardwareLibrary hardware, QObject* parent)
    : QObject(parent), hardware_(std::move(hardware)) {
  constexpr int kPause = 120;  // ms
  suggest_later_.setSingleShot(true);
  suggest_later_.setInterval(kPause);
  connect(&suggest_later_, &QTimer::timeout, this, &PlanDocument::suggest);
}

PlanDocument::Problems PlanDocument::open(const fs::path& path) {
  try {
    LoadedPlan loaded = io::load_plan(path);
    heading_ = heading_of(path);
    path_ = fs::absolute(path).lexically_normal();
    saved_ = {std::move(loaded.plan), std::move(loaded.origins), {}};
  } catch (...) {
    return problems_of_exception();
  }
  undo_.clear();
  estimate_.reset();
  setState(saved_);
  emit opened();
  emit fileChanged();
  return {};
}

PlanDocument::Problems PlanDocument::save(const fs::path& path) {
  if (!state_.problems.empty()) return state_.problems;
  try {
    const fs::path target = fs::absolute(path).lexically_normal();
    std::string text = io::write_plan_yaml(state_.plan, {.comments = io::Comments::kFull,
                                                         .origins = &state_.given,
                                                         .given_only = true,
                                                         .relative_to = target.parent_path()});
    if (!heading_.empty()) text = heading_ + '\n' + text;
    io::write_atomically(target, text);
    path_ = target;
  } catch (...) {
    return problems_of_exception();
  }
  saved_ = state_;
  undo_.setClean();
  emit fileChanged();
  return {};
}

QString PlanDocument::yaml() const {
  try {
    return to_qt(io::write_plan_yaml(state_.plan, {.comments = io::Comments::kFull,
                                                   .origins = &state_.given,
                                                   .given_only = true,
                                                   .relative_to = path_.parent_path()}));
  } catch (const Error& error) {
    return "# " + to_qt(error.what());
  }
}

QString PlanDocument::command() const {
  return to_qt(command_line(state_, saved_, path_.string()));
}

PlanDocument::Problems PlanDocument::edit(const std::vector<KeyEdit>& edits, const QString& text) {
  try {
    std::string keys;
    for (const KeyEdit& edit : edits) {
      const KeySpec* key = find_key(edit.path);
      const bool unset = std::holds_alternative<std::monostate>(edit.value);
      if (key != nullptr && !unset) {
        if (auto wrong = check_value(*key, edit.value)) return {{{}, edit.path, *wrong, {}}};
      }
      keys += edit.path + ' ';
    }
    PlanState next = edited(state_, edits);
    if (same_plan(next, state_)) return {};
    undo_.push(new PlanCommand(*this, std::move(next), std::move(keys), gesture_, text));
  } catch (...) {
    return problems_of_exception();
  }
  return {};
}

PlanDocument::Problems PlanDocument::apply(const estimator::Suggestion& suggestion) {
  try {
    return edit(edits_of_words(suggestion.change), "apply " + to_qt(suggestion.change));
  } catch (...) {
    return problems_of_exception();
  }
}

void PlanDocument::setState(const PlanState& state) {
  const bool was_modified = modified();
  state_ = state;
  recompute();
  emit stateChanged();
  emit estimated();
  if (was_modified != modified()) emit fileChanged();
}

void PlanDocument::recompute() {
  suggestions_.clear();
  problems_ = state_.problems;
  if (problems_.empty()) problems_ = too_deep(state_.plan);
  if (!problems_.empty()) return;
  try {
    estimate_ = estimator::estimate(state_.plan, hardware_.hardware_of(state_.plan),
                                    {.suggestions = false});
    suggest_later_.start();
  } catch (...) {
    problems_ = problems_of_exception();
  }
}

void PlanDocument::suggest() {
  if (!problems_.empty() || !estimate_) return;
  try {
    const bool helpful = estimate_->verdict.fits == false;
    suggestions_ = helpful ? estimator::suggest(*estimate_) : std::vector<estimator::Suggestion>();
  } catch (...) {
    suggestions_.clear();  // the estimate itself stands; there is only nothing to suggest
  }
  emit suggested();
}

}  // namespace headroom::gui
