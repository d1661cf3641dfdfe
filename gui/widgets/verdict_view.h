#pragma once

#include "gui/model/memory_report.h"

#include <QWidget>

namespace headroom::gui {

/// Fits, tight or does not fit: an icon, the word and the amount. Click for the sum behind it.
class VerdictView : public QWidget {
  Q_OBJECT
 public:
  explicit VerdictView(QWidget* parent = nullptr);
  void setVerdict(const VerdictReport& verdict);
  [[nodiscard]] const VerdictReport& verdict() const { return verdict_; }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
  void explained(const headroom::gui::Explanation& how);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  [[nodiscard]] QFont wordFont() const;
  VerdictReport verdict_;
};

}  // namespace headroom::gui
