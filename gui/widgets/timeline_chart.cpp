#include "gui/widgets/timeline_chart.h"

#include "gui/model/palette.h"

#include <QChart>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

namespace headroom::gui {

TimelineChart::TimelineChart(QWidget* parent) : PlotView(parent) {
  setAccessibleName("Memory over one step by category");
  xAxis().setLabelsVisible(false);
  xAxis().setGridLineVisible(false);
  // Room for the names of the phases, which drawForeground() writes.
  chart()->setMargins(QMargins(0, fontMetrics().height() + 4, 4, fontMetrics().height()));
  applyColors();
}

std::vector<std::pair<Part, QString>> TimelineChart::legend() const {
  std::vector<std::pair<Part, QString>> entries;
  for (Category category : report_.categories) entries.emplace_back(category, label(category));
  return entries;
}

void TimelineChart::ensureLayers(std::size_t count) {
  while (layers_.size() < count) {
    Layer layer;
    layer.top = new QLineSeries(this);
    layer.area = new QAreaSeries(layer.top, layers_.empty() ? nullptr : layers_.back().top);
    addPlot(layer.area);
    layers_.push_back(layer);
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].area->setVisible(i < count);
}

void TimelineChart::setReport(TimelineReport report) {
  report_ = std::move(report);
  ensureLayers(report_.categories.size());
  for (std::size_t c = 0; c < report_.categories.size(); ++c) {
    QList<QPointF> points;
    for (const TimelineMoment& moment : report_.moments) {
      points << QPointF(moment.at, moment.tops[c]) << QPointF(moment.at + 1, moment.tops[c]);
    }
    layers_[c].top->replace(points);
  }
  xAxis().setRange(0, report_.last);
  QValueAxis& y = yAxis();
  y.setTitleText(report_.scale.unit_name);
  y.setRange(0, report_.scale.last);
  y.setTickCount(1 + static_cast<int>(std::lround(report_.scale.last / report_.scale.interval)));
  y.setLabelFormat(QStringLiteral("%.%1f").arg(report_.scale.decimals));
  recolor(chart_colors(palette()));
  viewport()->update();
}

void TimelineChart::recolor(const ChartColors& colors) {
  for (std::size_t c = 0; c < report_.categories.size(); ++c) {
    layers_[c].area->setBrush(part_brush(report_.categories[c], colors));
    layers_[c].area->setPen(QPen(colors.background, 0.5));
  }
}

void TimelineChart::drawForeground(QPainter* painter, const QRectF& rect) {
  QChartView::drawForeground(painter, rect);
  if (report_.moments.empty()) return;
  const ChartColors colors = chart_colors(palette());
  const QRectF plot = chart()->plotArea();
  const auto x_of = [&](double at) { return plot.left() + at / report_.last * plot.width(); };
  const QFontMetrics metrics = fontMetrics();
  painter->save();
  painter->setFont(font());
  for (const TimelinePhase& phase : report_.phases) {
    const double begin = x_of(phase.begin), end = x_of(phase.end);
    const double wide = metrics.horizontalAdvance(phase.name);
    // A phase too short for its name is explained by its tool tips.
    if (wide + 4 > end - begin) continue;
    painter->setPen(QPen(colors.frame, 1, Qt::DotLine));
    for (const double x : {begin, end}) {
      painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom() + 4));
    }
    painter->setPen(colors.muted_text);
    painter->drawText(QPointF((begin + end - wide) / 2, plot.bottom() + 4 + metrics.ascent()),
                      phase.name);
  }
  const double peak = x_of(static_cast<double>(report_.peak) + 0.5);
  painter->setPen(QPen(colors.text, 1.5));
  painter->drawLine(QPointF(peak, plot.top() - 4), QPointF(peak, plot.bottom()));
  const double wide = metrics.horizontalAdvance(report_.peak_text);
  const double left =
      std::clamp(peak - wide / 2, plot.left(), std::max(plot.left(), width() - wide - 4.0));
  painter->drawText(QPointF(left, plot.top() - 6 - metrics.descent()), report_.peak_text);
  painter->restore();
}

void TimelineChart::mouseMoveEvent(QMouseEvent* event) {
  QChartView::mouseMoveEvent(event);
  const QRectF plot = chart()->plotArea();
  if (report_.moments.empty() || !plot.contains(event->position())) return;
  const double share = (event->position().x() - plot.left()) / plot.width();
  const auto index =
      std::min(report_.moments.size() - 1, static_cast<std::size_t>(share * report_.last));
  QToolTip::showText(event->globalPosition().toPoint(), report_.moments[index].text, this);
}

void TimelineChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  viewport()->update();
}

}  // namespace headroom::gui
