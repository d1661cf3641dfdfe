#include "gui/widgets/plot_view.h"

#include "gui/model/palette.h"

#include <QChart>
#include <QEvent>
#include <QGraphicsLayout>
#include <QLegend>
#include <QValueAxis>

namespace headroom::gui {

PlotView::PlotView(QWidget* parent)
    : QChartView(parent), x_axis_(new QValueAxis), y_axis_(new QValueAxis) {
  setFrameShape(QFrame::NoFrame);
  setFixedHeight(PlotView::sizeHint().height());
  setRenderHint(QPainter::Antialiasing);
  setMouseTracking(true);
  setFocusPolicy(Qt::NoFocus);
  chart()->legend()->hide();
  chart()->setBackgroundRoundness(0);
  chart()->setMargins(QMargins(0, 0, 4, 0));
  chart()->layout()->setContentsMargins(0, 0, 0, 0);
  chart()->addAxis(x_axis_, Qt::AlignBottom);
  chart()->addAxis(y_axis_, Qt::AlignLeft);
}

void PlotView::addPlot(QAbstractSeries* series) {
  chart()->addSeries(series);
  series->attachAxis(x_axis_);
  series->attachAxis(y_axis_);
}

void PlotView::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) applyColors();
}

void PlotView::applyColors() {
  const ChartColors colors = chart_colors(palette());
  setBackgroundBrush(colors.background);
  chart()->setBackgroundBrush(colors.background);
  for (QValueAxis* axis : {x_axis_, y_axis_}) {
    axis->setLabelsFont(font());
    axis->setTitleFont(font());
    axis->setLabelsColor(colors.muted_text);
    axis->setTitleBrush(colors.muted_text);
    axis->setGridLineColor(colors.grid);
    axis->setLinePen(QPen(colors.frame, 1));
  }
  recolor(colors);
}

}  // namespace headroom::gui
