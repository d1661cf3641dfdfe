#pragma once

#include "gui/widgets/chart.h"

#include <QChartView>
#include <QPen>

class QValueAxis;

namespace headroom::gui {

struct ChartColors;

/// What the charts drawn by Qt Charts have in common: colours of the palette, two value axes, no
/// frame and no legend of their own.
class PlotView : public QChartView, public Chart {
  Q_OBJECT
 public:
  explicit PlotView(QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override { return {560, 230}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {320, 230}; }

 protected:
  void changeEvent(QEvent* event) override;
  /// Gives series their colours again.
  virtual void recolor(const ChartColors& colors) = 0;
  void applyColors();
  [[nodiscard]] QValueAxis& xAxis() const { return *x_axis_; }
  [[nodiscard]] QValueAxis& yAxis() const { return *y_axis_; }
  /// Puts a series on both axes.
  void addPlot(QAbstractSeries* series);

 private:
  QValueAxis* x_axis_;
  QValueAxis* y_axis_;
};

}  // namespace headroom::gui
