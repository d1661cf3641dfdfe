#include "gui/widgets/chart.h"

#include "gui/model/palette.h"

#include <QPainter>
#include <QWidget>

namespace headroom::gui {
namespace {

constexpr int kMargin = 16;
constexpr int kSwatch = 12;
constexpr int kGap = 6;
constexpr int kEntryGap = 18;

struct Placed {
  QPoint at;
  Part part;
  QString text;
};

/// Entries side by side, in as many lines as they need. Returns the height.
int place(const std::vector<std::pair<Part, QString>>& entries,
          const QFontMetrics& metrics,
          int width,
          std::vector<Placed>& placed) {
  int x = 0, y = 0;
  for (const auto& [part, text] : entries) {
    const int wide = kSwatch + kGap + metrics.horizontalAdvance(text);
    if (x > 0 && x + wide > width) x = 0, y += metrics.height() + kGap;
    placed.push_back({{x, y}, part, text});
    x += wide + kEntryGap;
  }
  return entries.empty() ? 0 : y + metrics.height() + kGap;
}

}  // namespace

QImage chart_image(QWidget& widget, const Chart& chart, const QString& caption, int scale) {
  const ChartColors colors = chart_colors(widget.palette());
  QFont title_font = widget.font();
  title_font.setBold(true);
  title_font.setPointSizeF(title_font.pointSizeF() * 1.2);
  const QFontMetrics metrics(widget.font()), title_metrics(title_font);
  std::vector<Placed> placed;
  const int legend_height = place(chart.legend(), metrics, widget.width(), placed);
  const int head = title_metrics.height() + metrics.height() + 2 * kGap;
  const QSize size(widget.width() + 2 * kMargin,
                   widget.height() + head + legend_height + 2 * kMargin);
  QImage image(size * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(colors.background);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(title_font);
  painter.setPen(colors.text);
  painter.drawText(kMargin, kMargin + title_metrics.ascent(), chart.chartTitle());
  painter.setFont(widget.font());
  painter.setPen(colors.muted_text);
  painter.drawText(kMargin, kMargin + title_metrics.height() + metrics.ascent(), caption);
  painter.translate(kMargin, kMargin + head);
  widget.render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
  painter.translate(0, widget.height() + kGap);
  for (const Placed& entry : placed) {
    const QRect swatch(entry.at + QPoint(0, (metrics.height() - kSwatch) / 2),
                       QSize(kSwatch, kSwatch));
    painter.setPen(part_style(entry.part, colors.dark).color);
    painter.setBrush(part_brush(entry.part, colors));
    painter.drawRect(swatch);
    painter.setPen(colors.text);
    painter.drawText(entry.at + QPoint(kSwatch + kGap, metrics.ascent()), entry.text);
  }
  return image;
}

}  // namespace headroom::gui
