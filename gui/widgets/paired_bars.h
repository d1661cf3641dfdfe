#pragma once

#include "gui/model/run_report.h"
#include "gui/widgets/chart.h"

#include <QWidget>
#include <vector>

namespace headroom::gui {

/// Predicted and measured memory of a run, two bars per category, with the error in words.
class PairedBars : public QWidget, public Chart {
  Q_OBJECT
 public:
  explicit PairedBars(QWidget* parent = nullptr);
  void setBars(std::vector<PairedBar> bars);
  [[nodiscard]] QString chartTitle() const override { return "Predicted and measured memory"; }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void barClicked(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  [[nodiscard]] double rowHeight() const;
  [[nodiscard]] double top() const;
  std::vector<PairedBar> bars_;
};

}  // namespace headroom::gui
