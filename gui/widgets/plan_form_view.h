#pragma once

#include "gui/model/hardware_library.h"
#include "gui/model/plan_form.h"
#include "gui/widgets/field_row.h"

#include <QScrollArea>
#include <map>

class QToolButton;
class QVBoxLayout;

namespace headroom::gui {

/// The form of a plan: one row per key, in sections that fold.
class PlanFormView : public QScrollArea {
  Q_OBJECT
 public:
  explicit PlanFormView(std::vector<HardwareChoice> hardware, QWidget* parent = nullptr);
  /// Rows of keys that stay are kept, so that focus, drags and the scroll position survive.
  void setForm(const std::vector<FormSection>& form);
  /// The row of a key, or nullptr when the plan has no such key.
  [[nodiscard]] FieldRow* row(const std::string& path) const;
  /// Unfolds, scrolls to and focuses a key.
  void reveal(const std::string& path);
  [[nodiscard]] QSize sizeHint() const override { return {330, 500}; }

 signals:
  void edited(const std::string& path, const headroom::KeyValue& value);
  void gestureBegan();
  void gestureEnded();

 private:
  struct Section {
    QWidget* box = nullptr;
    QToolButton* header = nullptr;
    QVBoxLayout* rows = nullptr;
  };
  Section& section(const FormSection& section);
  FieldRow* makeRow(const FormField& field, QWidget* parent);

  std::vector<HardwareChoice> hardware_;
  QVBoxLayout* column_ = nullptr;
  std::map<QString, Section> sections_;
  std::map<std::string, FieldRow*, std::less<>> rows_;
};

}  // namespace headroom::gui
