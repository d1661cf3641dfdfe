#include "gui/widgets/loss_chart.h"

#include "gui/model/palette.h"

#include <QChart>
#include <QValueAxis>
#include <cmath>

namespace headroom::gui {

LossChart::LossChart(QWidget* parent) : PlotView(parent), line_(new QLineSeries) {
  setAccessibleName("Loss over steps");
  addPlot(line_);
  xAxis().setTitleText("step");
  xAxis().setLabelFormat("%.0f");
  xAxis().setTickType(QValueAxis::TicksDynamic);
  yAxis().setTitleText("loss");
  applyColors();
}

void LossChart::setReport(const LossReport& report) {
  line_->replace(QList<QPointF>(report.points.begin(), report.points.end()));
  line_->setPointsVisible(report.points.size() == 1);
  xAxis().setTickAnchor(0);
  xAxis().setTickInterval(report.step_interval);
  xAxis().setRange(report.first_step, report.last_step);
  yAxis().setRange(report.lowest, report.highest);
  yAxis().setTickCount(
      1 + static_cast<int>(std::lround((report.highest - report.lowest) / report.interval)));
  yAxis().setLabelFormat(QStringLiteral("%.%1f").arg(report.decimals));
}

void LossChart::recolor(const ChartColors& colors) { line_->setPen(QPen(colors.line, 2)); }

}  // namespace headroom::gui
