#pragma once

#include "gui/model/hardware_library.h"
#include "gui/model/plan_form.h"

#include <QLabel>
#include <QToolButton>
#include <QWidget>
#include <functional>
#include <vector>

namespace headroom::gui {

/// One key of the plan: its name, an editor that fits its kind, an arrow back to the default, and
/// below it what is wrong.
class FieldRow : public QWidget {
  Q_OBJECT
 public:
  FieldRow(const FormField& field,
           const std::vector<HardwareChoice>& hardware,
           QWidget* parent = nullptr);
  /// Shows another state of the same key.
  void setField(const FormField& field);
  [[nodiscard]] const KeySpec& key() const { return key_; }
  /// What stands below the editor; empty when nothing is wrong.
  [[nodiscard]] QString problem() const;
  void focusEditor();

 signals:
  void edited(const std::string& path, const headroom::KeyValue& value);
  void gestureBegan();
  void gestureEnded();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void buildNumber(const FormField& field, QWidget* line);
  void buildWord(QWidget* line);
  void buildBool();
  void buildText(QWidget* line);
  void buildHardware(const std::vector<HardwareChoice>& hardware, QWidget* line);
  void send(const KeyValue& value);
  void sendText(const QString& text);
  void setTypedProblem(const QString& problem);
  void updateProblem();

  const KeySpec& key_;
  QLabel* label_ = nullptr;
  QWidget* editor_ = nullptr;
  QToolButton* reset_ = nullptr;
  QLabel* problem_ = nullptr;
  QString typed_problem_, plan_problem_;
  std::function<void(const KeyValue&)> show_value_;
};

}  // namespace headroom::gui
