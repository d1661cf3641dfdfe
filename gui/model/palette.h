#pragma once

#include "gui/model/part.h"

#include <QBrush>
#include <QColor>
#include <QPalette>

namespace headroom::gui {

/// How one part of memory is drawn, the same in every chart and table. Related parts share a hue
/// and differ by hatching, so that nothing hangs on telling twelve colours apart.
struct PartStyle {
  QColor color;
  bool hatched = false;
};

/// Colours of everything that is drawn rather than styled, derived from a widget palette.
struct ChartColors {
  QColor background, text, muted_text, grid, frame;
  QColor line;  ///< of curves
  QColor good, warning, bad;
  bool dark = false;
};

/// After Okabe and Ito (2008), "Color Universal Design": hues that stay apart under the common
/// kinds of colour blindness. No grey: grey is for frames and text. Dark themes use lighter blues
/// and greens, so that every hue stands out from the background.
[[nodiscard]] PartStyle part_style(Part part, bool dark);
/// Plain or hatched brush of a part; hatching is drawn over `background`.
[[nodiscard]] QBrush part_brush(Part part, const ChartColors& colors);
/// Black or white, whichever reads better on a part's colour.
[[nodiscard]] QColor text_on(const QColor& color);

[[nodiscard]] ChartColors chart_colors(const QPalette& palette);
[[nodiscard]] bool is_dark(const QPalette& palette);
/// Contrast of two colours from 1 to 21. Source: WCAG 2.1, "contrast ratio".
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

[[nodiscard]] QPalette light_palette();
[[nodiscard]] QPalette dark_palette();

}  // namespace headroom::gui
