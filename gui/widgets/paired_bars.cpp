#include "gui/widgets/paired_bars.h"

#include "gui/model/palette.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

namespace headroom::gui {
namespace {

constexpr double kBar = 11;
constexpr double kGap = 8;

/// Predicted bars are pale with a frame, measured ones full: told apart without colour.
QBrush tint(const QColor& color, const ChartColors& colors) {
  QColor pale = color;
  pale.setAlphaF(colors.dark ? 0.35F : 0.25F);
  return pale;
}

void paint_bar(QPainter& painter, const QRectF& box, const QColor& frame, const QBrush& brush) {
  painter.setPen(QPen(frame, 1));
  painter.setBrush(brush);
  painter.drawRect(box);
}

}  // namespace

PairedBars::PairedBars(QWidget* parent) : QWidget(parent) {
  setAccessibleName("Predicted and measured memory by category");
  setAccessibleDescription("The table below holds the same numbers.");
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void PairedBars::setBars(std::vector<PairedBar> bars) {
  bars_ = std::move(bars);
  updateGeometry();
  update();
}

double PairedBars::rowHeight() const {
  return std::max(2 * kBar + 3, 1.0 * fontMetrics().height()) + kGap;
}

double PairedBars::top() const { return fontMetrics().height() + 10.0; }

QSize PairedBars::sizeHint() const {
  const auto rows = static_cast<double>(std::max<std::size_t>(1, bars_.size()));
  return {560, static_cast<int>(top() + rows * rowHeight())};
}

QSize PairedBars::minimumSizeHint() const { return {360, sizeHint().height()}; }

void PairedBars::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const ChartColors colors = chart_colors(palette());
  const QFontMetrics metrics = fontMetrics();
  double names = 0, texts = 0;
  for (const PairedBar& bar : bars_) {
    names = std::max<double>(names, metrics.horizontalAdvance(bar.name));
    texts = std::max<double>(texts,
                             metrics.horizontalAdvance(bar.measured_text + "  " + bar.error_text));
  }
  const double left = names + 32, right = width() - texts - 12;
  // The legend stands over the bars.
  double x = left;
  for (const bool measured : {false, true}) {
    const QString text = measured ? "measured" : "predicted";
    paint_bar(painter, QRectF(x, (metrics.height() - kBar) / 2.0, kBar, kBar), colors.muted_text,
              measured ? QBrush(colors.muted_text) : tint(colors.muted_text, colors));
    painter.setPen(colors.text);
    painter.drawText(QPointF(x + kBar + 5, metrics.ascent()), text);
    x += kBar + 5 + metrics.horizontalAdvance(text) + 18;
  }
  for (std::size_t i = 0; i < bars_.size(); ++i) {
    const PairedBar& bar = bars_[i];
    const double y = top() + static_cast<double>(i) * rowHeight();
    const double middle = y + kBar + 1.5;
    const QColor color = bar.part ? part_style(*bar.part, colors.dark).color : colors.text;
    const QBrush solid = bar.part ? part_brush(*bar.part, colors) : QBrush(colors.text);
    const double baseline = middle + (metrics.ascent() - metrics.descent()) / 2.0;
    paint_bar(painter, QRectF(2, middle - 6, 12, 12), color, solid);
    painter.setPen(colors.text);
    painter.drawText(QPointF(20, baseline), bar.name);
    const double wide = std::max(10.0, right - left);
    paint_bar(painter, QRectF(left, y, std::max(1.0, bar.predicted * wide), kBar), color,
              tint(color, colors));
    paint_bar(painter, QRectF(left, y + kBar + 3, std::max(1.0, bar.measured * wide), kBar), color,
              solid);
    painter.setPen(colors.text);
    const double text_at = left + std::max(bar.predicted, bar.measured) * wide + 8;
    painter.drawText(QPointF(text_at, baseline), bar.measured_text);
    painter.setPen(bar.equal ? colors.good : colors.bad);
    painter.drawText(
        QPointF(text_at + metrics.horizontalAdvance(bar.measured_text + "  "), baseline),
        bar.error_text);
  }
}

void PairedBars::mousePressEvent(QMouseEvent* event) {
  const int row = static_cast<int>((event->position().y() - top()) / rowHeight());
  if (row >= 0 && row < static_cast<int>(bars_.size())) emit barClicked(row);
}

}  // namespace headroom::gui
