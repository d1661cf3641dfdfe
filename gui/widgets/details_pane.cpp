#include "gui/widgets/details_pane.h"

namespace headroom::gui {

DetailsPane::DetailsPane(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName("How is this computed");
  document()->setDocumentMargin(10);
  setPlaceholderText("Choose a row or a segment of a bar to see how its number is computed.");
}

void DetailsPane::explain(const Explanation& how) {
  subject_ = how.title;
  setHtml(to_html(how));
}

}  // namespace headroom::gui
