#pragma once

#include "gui/model/run_report.h"
#include "gui/widgets/plot_view.h"

#include <QLineSeries>

namespace headroom::gui {

/// Loss over steps.
class LossChart : public PlotView {
  Q_OBJECT
 public:
  explicit LossChart(QWidget* parent = nullptr);
  void setReport(const LossReport& report);
  [[nodiscard]] QString chartTitle() const override { return "Loss over steps"; }

 protected:
  void recolor(const ChartColors& colors) override;

 private:
  QLineSeries* line_;
};

}  // namespace headroom::gui
