#pragma once

#include "gui/model/memory_report.h"
#include "gui/widgets/chart.h"

#include <QWidget>

namespace headroom::gui {

/// The stacked bar of a plan's memory: above on the scale of the device's capacity with its limit,
/// below the same parts over the whole width.
class BarBreakdown : public QWidget, public Chart {
  Q_OBJECT
 public:
  explicit BarBreakdown(QWidget* parent = nullptr);
  void setReport(BarReport report);
  [[nodiscard]] const BarReport& report() const { return report_; }

  [[nodiscard]] QString chartTitle() const override { return "Memory at the peak"; }
  [[nodiscard]] std::vector<std::pair<Part, QString>> legend() const override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void partClicked(headroom::gui::Part part);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] int line() const;
  [[nodiscard]] QRectF scaleBar() const;
  [[nodiscard]] QRectF partsBar() const;
  [[nodiscard]] const BarSegment* segmentAt(QPointF at) const;
  void paintScale(QPainter& painter, const ChartColors& colors) const;
  void paintGuides(QPainter& painter, const ChartColors& colors) const;
  void paintParts(QPainter& painter, const ChartColors& colors) const;

  BarReport report_;
};

}  // namespace headroom::gui
