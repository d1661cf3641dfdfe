#include "gui/widgets/card_grid.h"

#include "gui/model/palette.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

namespace headroom::gui {

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent), column_(new QVBoxLayout(this)), caption_(new QLabel(this)) {
  column_->setContentsMargins(14, 10, 14, 12);
  column_->setSpacing(8);
  auto* heading = new QLabel(title, this);
  QFont bold = heading->font();
  bold.setBold(true);
  heading->setFont(bold);
  auto* row = new QHBoxLayout;
  row->addWidget(heading);
  row->addStretch(1);
  row->addWidget(caption_);
  column_->addLayout(row);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  setAccessibleName(title);
  recolor();
}

void Card::setCaption(const QString& caption) { caption_->setText(caption); }

void Card::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) recolor();
}

void Card::recolor() {
  QPalette muted = palette();
  const QColor color = chart_colors(muted).muted_text;
  if (caption_->palette().color(QPalette::WindowText) == color) return;
  muted.setColor(QPalette::WindowText, color);
  caption_->setPalette(muted);
}

void Card::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const ChartColors colors = chart_colors(palette());
  painter.setBrush(colors.background);
  painter.setPen(QPen(colors.grid, 1));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
}

CardGrid::CardGrid(QWidget* parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* page = new QWidget;
  auto* row = new QHBoxLayout(page);
  row->setContentsMargins(0, 0, 8, 8);
  row->setSpacing(10);
  auto* first = new QWidget(page);
  second_ = new QWidget(page);
  for (QWidget* column : {first, second_}) {
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layouts_[column == second_ ? 1 : 0] = layout;
    row->addWidget(column, 1, Qt::AlignTop);
  }
  setWidget(page);
}

void CardGrid::addCard(Card* card, int column) {
  cards_.push_back({card, column});
  arrange(columns_ == 0 ? 1 : columns_);
}

void CardGrid::arrange(int columns) {
  columns_ = columns;
  for (QVBoxLayout* layout : layouts_) {
    while (QLayoutItem* item = layout->takeAt(0)) delete item;  // the cards stay
  }
  for (const Placed& placed : cards_) {
    layouts_[columns == 2 ? placed.column : 0]->addWidget(placed.card);
  }
  second_->setVisible(columns == 2);
}

void CardGrid::resizeEvent(QResizeEvent* event) {
  constexpr int kTwoColumns = 1080;
  const int columns = viewport()->width() >= kTwoColumns ? 2 : 1;
  if (columns != columns_) arrange(columns);
  QScrollArea::resizeEvent(event);
}

}  // namespace headroom::gui
