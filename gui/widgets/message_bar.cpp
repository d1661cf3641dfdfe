#include "gui/widgets/message_bar.h"

#include "gui/model/palette.h"
#include "gui/model/text.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace headroom::gui {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), label_(new QLabel(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(14, 6, 6, 6);
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::RichText);
  label_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  label_->setAccessibleName("Message");
  row->addWidget(label_, 1);
  auto* copy = new QToolButton(this);
  copy->setText("Copy");
  copy->setAutoRaise(true);
  auto* dismiss = new QToolButton(this);
  dismiss->setText("Dismiss");
  dismiss->setAutoRaise(true);
  row->addWidget(copy, 0, Qt::AlignTop);
  row->addWidget(dismiss, 0, Qt::AlignTop);
  connect(copy, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(plain_); });
  connect(dismiss, &QToolButton::clicked, this, &MessageBar::clear);
  connect(label_, &QLabel::linkActivated, this,
          [this](const QString& link) { emit keyClicked(link.toStdString()); });
  hide();
}

void MessageBar::showProblems(const QString& title, const std::vector<Problem>& problems) {
  constexpr std::size_t kShown = 6;
  plain_ = title;
  QString html = "<b>" + title.toHtmlEscaped() + "</b>";
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i];
    plain_ += '\n' + to_qt(to_string(problem));
    if (i >= kShown) continue;
    const QString text = to_qt(to_string(problem)).toHtmlEscaped();
    html += "<br/>" + (problem.key.empty() ? text
                                           : QStringLiteral("%1 <a href=\"%2\">show</a>")
                                                 .arg(text, to_qt(problem.key).toHtmlEscaped()));
  }
  if (problems.size() > kShown) {
    html += QStringLiteral("<br/>and %1 more").arg(problems.size() - kShown);
  }
  label_->setText(html);
  show();
}

void MessageBar::clear() {
  plain_.clear();
  label_->clear();
  hide();
}

void MessageBar::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) update();
}

void MessageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const ChartColors colors = chart_colors(palette());
  painter.fillRect(rect(), colors.background);
  painter.fillRect(QRect(0, 0, 4, height()), colors.bad);
  painter.setPen(colors.frame);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace headroom::gui
