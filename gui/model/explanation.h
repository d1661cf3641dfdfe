#pragma once

#include <QString>
#include <QStringList>

namespace headroom::gui {

/// How a number on screen came about.
struct Explanation {
  QString title;        ///< what is explained: `activations`
  QString meaning;      ///< one or two sentences
  QStringList formula;  ///< with the values put in, one line each
  QString source;       ///< where figures come from, and how far they can be trusted
  [[nodiscard]] bool empty() const { return title.isEmpty(); }
};

/// For a details pane.
[[nodiscard]] QString to_html(const Explanation& explanation);
/// For a tool tip or the clipboard.
[[nodiscard]] QString to_plain(const Explanation& explanation);

}  // namespace headroom::gui
