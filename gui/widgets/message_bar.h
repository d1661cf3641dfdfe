#pragma once

#include "core/describe/error.h"

#include <QFrame>
#include <QLabel>
#include <vector>

namespace headroom::gui {

/// A message in the page: what went wrong, every problem on a line, with buttons to copy and to
/// dismiss it. Nothing modal.
class MessageBar : public QFrame {
  Q_OBJECT
 public:
  explicit MessageBar(QWidget* parent = nullptr);
  void showProblems(const QString& title, const std::vector<Problem>& problems);
  void clear();
  [[nodiscard]] QString text() const { return plain_; }

 signals:
  /// A problem's key was clicked.
  void keyClicked(const std::string& path);

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* label_;
  QString plain_;
};

}  // namespace headroom::gui
