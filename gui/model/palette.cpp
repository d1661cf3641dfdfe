#include "gui/model/palette.h"

#include <QImage>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

namespace headroom::gui {
namespace {

struct Hue {
  const char* light;
  const char* dark;
};

constexpr Hue kBlue{"#0072B2", "#3D9BD9"};
constexpr Hue kVermillion{"#D55E00", "#F0803C"};
constexpr Hue kPurple{"#B8578F", "#CC79A7"};
constexpr Hue kGreen{"#009E73", "#19B98B"};
constexpr Hue kYellow{"#D9B800", "#F0E442"};
constexpr Hue kOrange{"#E69F00", "#E69F00"};
constexpr Hue kSky{"#56B4E9", "#8CD0F5"};

struct Entry {
  Hue hue;
  bool hatched;
};

constexpr std::array<Entry, kPartCount> kEntries = {{
    {kBlue, false},        // parameters
    {kBlue, true},         // master parameters
    {kVermillion, false},  // gradients
    {kPurple, false},      // optimizer state
    {kGreen, false},       // activations
    {kGreen, true},        // logits
    {kYellow, false},      // temporaries
    {kOrange, false},      // workspace
    {kOrange, true},       // communication
    {kSky, false},         // inputs
    {kPurple, true},       // context
    {kSky, true},          // packing
}};

QColor pick(const Hue& hue, bool dark) {
  return QColor(QLatin1String(dark ? hue.dark : hue.light));
}

double linear(double channel) {
  return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

QColor mix(const QColor& a, const QColor& b, double share_of_b) {
  const auto channel = [&](int x, int y) {
    return static_cast<int>(std::lround(x + (y - x) * share_of_b));
  };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

struct Shades {
  QColor window, base, alternate, text, muted, button, highlight, link;
};

QPalette palette_of(const Shades& s) {
  QPalette palette;
  palette.setColor(QPalette::Window, s.window);
  palette.setColor(QPalette::WindowText, s.text);
  palette.setColor(QPalette::Base, s.base);
  palette.setColor(QPalette::AlternateBase, s.alternate);
  palette.setColor(QPalette::ToolTipBase, s.base);
  palette.setColor(QPalette::ToolTipText, s.text);
  palette.setColor(QPalette::PlaceholderText, s.muted);
  palette.setColor(QPalette::Text, s.text);
  palette.setColor(QPalette::Button, s.button);
  palette.setColor(QPalette::ButtonText, s.text);
  palette.setColor(QPalette::BrightText, Qt::red);
  palette.setColor(QPalette::Link, s.link);
  palette.setColor(QPalette::Highlight, s.highlight);
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::Light, mix(s.button, Qt::white, 0.2));
  palette.setColor(QPalette::Midlight, mix(s.button, Qt::white, 0.1));
  palette.setColor(QPalette::Mid, mix(s.button, Qt::black, 0.2));
  palette.setColor(QPalette::Dark, mix(s.button, Qt::black, 0.35));
  palette.setColor(QPalette::Shadow, mix(s.button, Qt::black, 0.6));
  for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, mix(s.text, s.window, 0.55));
  }
  palette.setColor(QPalette::Disabled, QPalette::Highlight, mix(s.highlight, s.window, 0.6));
  return palette;
}

}  // namespace

PartStyle part_style(Part part, bool dark) {
  const Entry& entry = kEntries[part.index()];
  return {pick(entry.hue, dark), entry.hatched};
}

QBrush part_brush(Part part, const ChartColors& colors) {
  const PartStyle style = part_style(part, colors.dark);
  if (!style.hatched) return style.color;
  // A tile of our own: Qt's hatches are one pixel wide and vanish on dense screens.
  constexpr int kTile = 8;
  QImage tile(kTile, kTile, QImage::Format_RGB32);
  tile.fill(mix(style.color, colors.background, 0.72));
  QPainter painter(&tile);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(style.color, 3));
  for (int shift : {-kTile, 0, kTile}) painter.drawLine(shift, kTile, shift + kTile, 0);
  painter.end();
  return QBrush(tile);
}

QColor text_on(const QColor& color) {
  return contrast(color, Qt::white) >= contrast(color, Qt::black) ? Qt::white : Qt::black;
}

bool is_dark(const QPalette& palette) {
  return luminance(palette.color(QPalette::Window)) <
         luminance(palette.color(QPalette::WindowText));
}

ChartColors chart_colors(const QPalette& palette) {
  ChartColors colors;
  colors.dark = is_dark(palette);
  colors.background = palette.color(QPalette::Base);
  colors.text = palette.color(QPalette::Text);
  colors.muted_text = mix(colors.text, colors.background, 0.3);
  colors.grid = mix(colors.text, colors.background, 0.86);
  colors.frame = mix(colors.text, colors.background, 0.65);
  colors.line = pick(kBlue, colors.dark);
  colors.good = colors.dark ? QColor("#4CC79A") : QColor("#00704F");
  colors.warning = colors.dark ? QColor("#F0B93C") : QColor("#8A5A00");
  colors.bad = colors.dark ? QColor("#FF8A5C") : QColor("#B23B00");
  return colors;
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

QPalette light_palette() {
  return palette_of({.window = QColor("#F3F4F6"),
                     .base = QColor("#FFFFFF"),
                     .alternate = QColor("#F7F8FA"),
                     .text = QColor("#1B1F24"),
                     .muted = QColor("#667080"),
                     .button = QColor("#F3F4F6"),
                     .highlight = QColor("#0067A3"),
                     .link = QColor("#005A8F")});
}

QPalette dark_palette() {
  return palette_of({.window = QColor("#1E2126"),
                     .base = QColor("#15181C"),
                     .alternate = QColor("#1B1F24"),
                     .text = QColor("#E6E8EB"),
                     .muted = QColor("#98A1AE"),
                     .button = QColor("#2A2E35"),
                     .highlight = QColor("#1F78B4"),
                     .link = QColor("#6CB8F0")});
}

}  // namespace headroom::gui
