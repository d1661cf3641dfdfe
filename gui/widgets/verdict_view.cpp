#include "gui/widgets/verdict_view.h"

#include "gui/model/palette.h"

#include <QPainter>
#include <QPainterPath>

namespace headroom::gui {
namespace {

using Level = VerdictReport::Level;
constexpr double kIcon = 20;
constexpr double kGap = 8;

QColor color_of(Level level, const ChartColors& colors) {
  switch (level) {
    case Level::kFits:
      return colors.good;
    case Level::kTight:
      return colors.warning;
    case Level::kTooLarge:
      return colors.bad;
    case Level::kUnknown:
      break;
  }
  return colors.muted_text;
}

/// A disc with a tick, a triangle with a bar, a disc with a cross, a ring.
void paint_icon(QPainter& painter, Level level, const QRectF& box, const ChartColors& colors) {
  const QColor color = color_of(level, colors);
  const auto at = [&](double x, double y) {
    return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
  };
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  QPen stroke(colors.background, 2.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
  if (level == Level::kTight) {
    painter.drawPolygon(QPolygonF({at(0.5, 0.02), at(1, 0.96), at(0, 0.96)}));
    painter.setPen(stroke);
    painter.drawLine(at(0.5, 0.38), at(0.5, 0.62));
    painter.drawPoint(at(0.5, 0.8));
    return;
  }
  if (level == Level::kUnknown) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 2));
    painter.drawEllipse(box.adjusted(1, 1, -1, -1));
    return;
  }
  painter.drawEllipse(box);
  painter.setPen(stroke);
  painter.setBrush(Qt::NoBrush);
  if (level == Level::kFits) {
    painter.drawPolyline(QPolygonF({at(0.26, 0.53), at(0.43, 0.7), at(0.74, 0.34)}));
  } else {
    painter.drawLine(at(0.32, 0.32), at(0.68, 0.68));
    painter.drawLine(at(0.68, 0.32), at(0.32, 0.68));
  }
}

}  // namespace

VerdictView::VerdictView(QWidget* parent) : QWidget(parent) {
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void VerdictView::setVerdict(const VerdictReport& verdict) {
  verdict_ = verdict;
  setAccessibleName(verdict.word + ": " + verdict.sentence);
  setToolTip(to_html(verdict.how));
  updateGeometry();
  update();
}

QFont VerdictView::wordFont() const {
  QFont bold = font();
  bold.setBold(true);
  bold.setPointSizeF(bold.pointSizeF() * 1.25);
  return bold;
}

QSize VerdictView::sizeHint() const {
  const QFontMetrics word(wordFont());
  const int text = std::max(word.horizontalAdvance(verdict_.word),
                            fontMetrics().horizontalAdvance(verdict_.sentence));
  return {static_cast<int>(kIcon + kGap) + text + 4, word.height() + fontMetrics().height() + 2};
}

void VerdictView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const ChartColors colors = chart_colors(palette());
  const QFontMetrics word(wordFont());
  paint_icon(painter, verdict_.level, QRectF(1, (height() - kIcon) / 2, kIcon, kIcon), colors);
  painter.setFont(wordFont());
  painter.setPen(color_of(verdict_.level, colors));
  painter.drawText(QPointF(kIcon + kGap, word.ascent()), verdict_.word);
  painter.setFont(font());
  painter.setPen(colors.text);
  painter.drawText(QPointF(kIcon + kGap, word.height() + fontMetrics().ascent()),
                   verdict_.sentence);
}

void VerdictView::mousePressEvent(QMouseEvent*) { emit explained(verdict_.how); }

}  // namespace headroom::gui
