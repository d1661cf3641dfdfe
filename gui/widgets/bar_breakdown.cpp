#include "gui/widgets/bar_breakdown.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>

namespace headroom::gui {
namespace {

constexpr double kScaleHeight = 20;
constexpr double kPad = 2;
constexpr double kTick = 4;

}  // namespace

BarBreakdown::BarBreakdown(QWidget* parent) : QWidget(parent) {
  setAccessibleName("Memory at the peak by category");
  setAccessibleDescription("The table below holds the same numbers.");
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BarBreakdown::setReport(BarReport report) {
  report_ = std::move(report);
  update();
}

std::vector<std::pair<Part, QString>> BarBreakdown::legend() const {
  std::vector<std::pair<Part, QString>> entries;
  for (const BarSegment& segment : report_.segments) {
    entries.emplace_back(segment.part, segment.name + " " + segment.size);
  }
  return entries;
}

int BarBreakdown::line() const { return fontMetrics().height(); }

QRectF BarBreakdown::scaleBar() const {
  return {kPad, line() + 6.0, width() - 2 * kPad, kScaleHeight};
}

QRectF BarBreakdown::partsBar() const {
  const double top = scaleBar().bottom() + kTick + line() + 18.0;
  return {kPad, top, width() - 2 * kPad, 2.0 * line() + 12.0};
}

QSize BarBreakdown::sizeHint() const {
  return {560, static_cast<int>(partsBar().bottom() + kPad + 1)};
}

QSize BarBreakdown::minimumSizeHint() const { return {320, sizeHint().height()}; }

const BarSegment* BarBreakdown::segmentAt(QPointF at) const {
  const QRectF parts = partsBar(), scale = scaleBar();
  double share = -1;
  if (parts.contains(at)) share = (at.x() - parts.left()) / parts.width();
  if (scale.contains(at)) share = (at.x() - scale.left()) / (scale.width() * report_.used);
  for (const BarSegment& segment : report_.segments) {
    if (share >= segment.begin && share < segment.end) return &segment;
  }
  return nullptr;
}

void BarBreakdown::paintScale(QPainter& painter, const ChartColors& colors) const {
  const QRectF bar = scaleBar();
  painter.fillRect(bar, colors.grid);
  const double used = bar.width() * report_.used;
  for (const BarSegment& segment : report_.segments) {
    painter.fillRect(QRectF(bar.left() + segment.begin * used, bar.top(),
                            std::max(0.0, (segment.end - segment.begin) * used), bar.height()),
                     part_brush(segment.part, colors));
  }
  // However small, the use is seen.
  if (used < 2) painter.fillRect(QRectF(bar.left(), bar.top(), 2, bar.height()), colors.text);
  painter.setPen(QPen(colors.frame, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar);

  double free_from = 0;
  for (const BarTick& tick : report_.ticks) {
    const double x = bar.left() + tick.share * bar.width();
    painter.setPen(colors.frame);
    painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + kTick));
    const double wide = fontMetrics().horizontalAdvance(tick.text);
    const double left = std::clamp(x - wide / 2, 0.0, width() - wide);
    if (left < free_from) continue;
    painter.setPen(colors.muted_text);
    painter.drawText(QPointF(left, bar.bottom() + kTick + fontMetrics().ascent()), tick.text);
    free_from = left + wide + 8;
  }
  const double above = bar.top() - 6 - fontMetrics().descent();
  const bool too_large = report_.level == VerdictReport::Level::kTooLarge;
  painter.setPen(too_large ? colors.bad : colors.text);
  painter.drawText(QPointF(kPad, above), report_.used_text);
  if (!report_.limit) return;
  const double x = bar.left() + *report_.limit * bar.width();
  painter.setPen(QPen(too_large ? colors.bad : colors.text, 2));
  painter.drawLine(QPointF(x, bar.top() - 5), QPointF(x, bar.bottom() + 5));
  const double wide = fontMetrics().horizontalAdvance(report_.limit_text);
  const double after_used = kPad + fontMetrics().horizontalAdvance(report_.used_text) + 12;
  painter.drawText(
      QPointF(std::max(after_used, std::min(x - wide / 2, width() - wide - kPad)), above),
      report_.limit_text);
}

void BarBreakdown::paintGuides(QPainter& painter, const ChartColors& colors) const {
  const QRectF scale = scaleBar(), parts = partsBar();
  const double top = scale.bottom() + kTick + line() + 4;
  QPainterPath fan;
  fan.moveTo(scale.left(), top);
  fan.lineTo(scale.left() + std::max(2.0, scale.width() * report_.used), top);
  fan.lineTo(parts.right(), parts.top() - 2);
  fan.lineTo(parts.left(), parts.top() - 2);
  fan.closeSubpath();
  painter.fillPath(fan, colors.grid);
}

void BarBreakdown::paintParts(QPainter& painter, const ChartColors& colors) const {
  const QRectF bar = partsBar();
  for (const BarSegment& segment : report_.segments) {
    const QRectF box(bar.left() + segment.begin * bar.width(), bar.top(),
                     (segment.end - segment.begin) * bar.width(), bar.height());
    const PartStyle style = part_style(segment.part, colors.dark);
    painter.fillRect(box, part_brush(segment.part, colors));
    if (box.width() > 3) {
      painter.setPen(QPen(colors.background, 1));
      painter.drawLine(box.topRight(), box.bottomRight());
    }
    const double name_wide = fontMetrics().horizontalAdvance(segment.name);
    const double size_wide = fontMetrics().horizontalAdvance(segment.size);
    if (std::max(name_wide, size_wide) + 10 > box.width()) continue;
    QRectF upper = box.adjusted(5, 4, 0, 0), lower = upper;
    lower.translate(0, line());
    if (style.hatched) {
      const QRectF plate(box.left() + 3, box.top() + 3, std::max(name_wide, size_wide) + 4,
                         box.height() - 6);
      painter.fillRect(plate, colors.background);
      painter.setPen(colors.text);
    } else {
      painter.setPen(text_on(style.color));
    }
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignTop, segment.name);
    painter.drawText(lower, Qt::AlignLeft | Qt::AlignTop, segment.size);
  }
  painter.setPen(QPen(colors.frame, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar);
}

void BarBreakdown::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const ChartColors colors = chart_colors(palette());
  paintGuides(painter, colors);
  paintScale(painter, colors);
  paintParts(painter, colors);
}

void BarBreakdown::mousePressEvent(QMouseEvent* event) {
  if (const BarSegment* segment = segmentAt(event->position())) emit partClicked(segment->part);
}

bool BarBreakdown::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const BarSegment* segment = segmentAt(help->pos())) {
    QToolTip::showText(help->globalPos(),
                       segment->name + ": " + segment->size + "\nClick to see how it is computed.");
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace headroom::gui
