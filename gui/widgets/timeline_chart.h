#pragma once

#include "gui/model/timeline_report.h"
#include "gui/widgets/plot_view.h"

#include <QAreaSeries>
#include <QLineSeries>
#include <vector>

namespace headroom::gui {

/// Memory over one step, category upon category, with the phases below and the peak marked.
class TimelineChart : public PlotView {
  Q_OBJECT
 public:
  explicit TimelineChart(QWidget* parent = nullptr);
  void setReport(TimelineReport report);
  [[nodiscard]] const TimelineReport& report() const { return report_; }
  [[nodiscard]] QString chartTitle() const override { return "Memory over one step"; }
  [[nodiscard]] std::vector<std::pair<Part, QString>> legend() const override;

 protected:
  void recolor(const ChartColors& colors) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Layer {
    QAreaSeries* area = nullptr;
    QLineSeries* top = nullptr;
  };
  void ensureLayers(std::size_t count);

  TimelineReport report_;
  std::vector<Layer> layers_;
};

}  // namespace headroom::gui
