#pragma once

#include "gui/model/explanation.h"

#include <QTextBrowser>

namespace headroom::gui {

/// How a number was computed: text that can be selected, beside what is shown.
class DetailsPane : public QTextBrowser {
  Q_OBJECT
 public:
  explicit DetailsPane(QWidget* parent = nullptr);
  /// What is explained now; empty at first.
  [[nodiscard]] const QString& subject() const { return subject_; }
  [[nodiscard]] QSize sizeHint() const override { return {400, 132}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {200, 60}; }

 public slots:  // NOLINT(readability-redundant-access-specifiers)
  void explain(const headroom::gui::Explanation& how);

 private:
  QString subject_;
};

}  // namespace headroom::gui
