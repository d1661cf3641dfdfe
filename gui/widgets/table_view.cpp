#include "gui/widgets/table_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QProxyStyle>
#include <QStyleOption>

namespace headroom::gui {
namespace {

/// Keeps texts of neighbouring columns apart.
class RoomyStyle : public QProxyStyle {
 public:
  explicit RoomyStyle(QObject* parent) { setParent(parent); }
  [[nodiscard]] int pixelMetric(PixelMetric metric,
                                const QStyleOption* option,
                                const QWidget* widget) const override {
    if (metric == PM_FocusFrameHMargin) return kRoom;
    return QProxyStyle::pixelMetric(metric, option, widget);
  }
  void drawControl(ControlElement element,
                   const QStyleOption* option,
                   QPainter* painter,
                   const QWidget* widget) const override {
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
    if (element != CE_HeaderLabel || header == nullptr) {
      QProxyStyle::drawControl(element, option, painter, widget);
      return;
    }
    QStyleOptionHeader label = *header;
    const int margin = QProxyStyle::pixelMetric(PM_HeaderMargin, option, widget);
    label.rect.adjust(kRoom + 1 - margin, 0, margin - kRoom - 1, 0);
    QProxyStyle::drawControl(element, &label, painter, widget);
  }
  [[nodiscard]] QSize sizeFromContents(ContentsType type,
                                       const QStyleOption* option,
                                       const QSize& size,
                                       const QWidget* widget) const override {
    const QSize wanted = QProxyStyle::sizeFromContents(type, option, size, widget);
    return type == CT_HeaderSection ? wanted + QSize(2 * kRoom, 0) : wanted;
  }

 private:
  static constexpr int kRoom = 7;
};

}  // namespace

TableView::TableView(int stretched, QWidget* parent) : QTableView(parent), stretched_(stretched) {
  auto* roomy = new RoomyStyle(this);
  setStyle(roomy);
  horizontalHeader()->setStyle(roomy);
  setModel(&table_);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setAlternatingRowColors(true);
  setSelectionBehavior(SelectRows);
  setTabKeyNavigation(false);
  setWordWrap(false);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setMinimumSectionSize(30);
  fit();
}

void TableView::setContent(TableContent content) {
  table_.setContent(std::move(content));
  fit();
}

void TableView::fit() {
  table_.setColors(chart_colors(palette()));
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 5);
  horizontalHeader()->setFixedHeight(horizontalHeader()->sizeHint().height());
  QHeaderView* header = horizontalHeader();
  for (int column = 0; column < table_.columnCount(); ++column) {
    header->setSectionResizeMode(
        column, column == stretched_ ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
  }
  setFixedHeight(sizeHint().height());
  updateGeometry();
}

QSize TableView::sizeHint() const {
  const int rows = table_.rowCount() * verticalHeader()->defaultSectionSize();
  return {420, horizontalHeader()->height() + rows + 2};
}

QSize TableView::minimumSizeHint() const { return {280, sizeHint().height()}; }

void TableView::copy() const {
  const QModelIndexList rows = selectionModel()->selectedRows().size() > 1
                                   ? selectionModel()->selectedRows()
                                   : QModelIndexList();
  QApplication::clipboard()->setText(table_.toTsv(rows));
}

void TableView::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) fit();
}

void TableView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    copy();
    event->accept();
    return;
  }
  QTableView::keyPressEvent(event);
}

void TableView::wheelEvent(QWheelEvent* event) { event->ignore(); }

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  const Explanation how = table_.explanation(current.row());
  if (!how.empty()) emit explained(how);
}

}  // namespace headroom::gui
