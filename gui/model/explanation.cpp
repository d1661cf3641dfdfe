#include "gui/model/explanation.h"

namespace headroom::gui {

QString to_html(const Explanation& explanation) {
  QString html = "<b>" + explanation.title.toHtmlEscaped() + "</b>";
  if (!explanation.meaning.isEmpty()) html += "<br/>" + explanation.meaning.toHtmlEscaped();
  if (!explanation.formula.isEmpty()) {
    html += "<pre style=\"margin-top:6px; margin-bottom:6px; white-space:pre-wrap\">" +
            explanation.formula.join('\n').toHtmlEscaped() + "</pre>";
  }
  if (!explanation.source.isEmpty()) {
    html += "<i>" + explanation.source.toHtmlEscaped() + "</i>";
  }
  return html;
}

QString to_plain(const Explanation& explanation) {
  QStringList lines{explanation.title};
  if (!explanation.meaning.isEmpty()) lines << explanation.meaning;
  lines << explanation.formula;
  if (!explanation.source.isEmpty()) lines << explanation.source;
  return lines.join('\n');
}

}  // namespace headroom::gui
