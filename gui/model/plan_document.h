#pragma once

#include "estimator/estimate.h"
#include "gui/model/hardware_library.h"
#include "gui/model/plan_state.h"

#include <QObject>
#include <QString>
#include <QTimer>
#include <QUndoStack>
#include <filesystem>
#include <optional>
#include <vector>

namespace headroom::gui {

/// A plan file that is open for editing, with its estimate and its undo stack.
/// No function throws: what goes wrong comes back as problems.
class PlanDocument : public QObject {
  Q_OBJECT
 public:
  using Problems = std::vector<Problem>;

  explicit PlanDocument(HardwareLibrary hardware, QObject* parent = nullptr);

  /// Replaces the contents by a file's and clears the undo stack. With problems nothing changes.
  [[nodiscard]] Problems open(const std::filesystem::path& path);
  /// Writes the keys that were given, with comments, whole or not at all; the file becomes the
  /// document's own.
  [[nodiscard]] Problems save(const std::filesystem::path& path);

  [[nodiscard]] bool isOpen() const { return !path_.empty(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool modified() const { return !same_plan(state_, saved_); }
  [[nodiscard]] const PlanState& state() const { return state_; }
  [[nodiscard]] QString yaml() const;
  /// The command that gives the same numbers in a terminal.
  [[nodiscard]] QString command() const;

  /// Makes some changes as one undo step. Steps of one gesture (a slider being dragged) on the
  /// same keys become one. Returns what is wrong with a value; then nothing changes.
  Problems edit(const std::vector<KeyEdit>& edits, const QString& text);
  void beginGesture() { gesture_ = ++last_gesture_; }
  void endGesture() { gesture_ = 0; }
  /// Makes the changes of a suggestion as one undo step.
  Problems apply(const estimator::Suggestion& suggestion);
  [[nodiscard]] QUndoStack* undoStack() { return &undo_; }

  /// The last estimate that could be made; nothing before the first.
  [[nodiscard]] const std::optional<estimator::Estimate>& estimate() const { return estimate_; }
  /// Why there is no estimate of the present state; empty when estimate() is of it.
  [[nodiscard]] const Problems& problems() const { return problems_; }
  /// Changes that would help, for the present estimate. They follow a moment after it, so that
  /// dragging stays smooth.
  [[nodiscard]] const std::vector<estimator::Suggestion>& suggestions() const {
    return suggestions_;
  }
  [[nodiscard]] const HardwareLibrary& hardware() const { return hardware_; }

 signals:
  void opened();
  void stateChanged();
  void estimated();
  void suggested();
  /// The path or whether there are unsaved changes.
  void fileChanged();

 private:
  friend class PlanCommand;
  void setState(const PlanState& state);
  void recompute();
  void suggest();

  HardwareLibrary hardware_;
  std::filesystem::path path_;
  std::string heading_;  ///< comments at the head of the file, kept when it is saved
  PlanState state_, saved_;
  std::optional<estimator::Estimate> estimate_;
  Problems problems_;
  std::vector<estimator::Suggestion> suggestions_;
  QUndoStack undo_;
  QTimer suggest_later_;
  int gesture_ = 0, last_gesture_ = 0;
};

/// Problems of an exception that is being handled; call inside a catch block.
[[nodiscard]] std::vector<Problem> problems_of_exception();

}  // namespace headroom::gui
