#include "gui/model/palette.h"
#include "tests/gui/widgets/window.h"

#include <boost/test/unit_test.hpp>

#include <QAbstractButton>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>

namespace headroom::gui {
namespace {

using test::TestWindow;

std::string about(const QWidget& widget) {
  return std::string(widget.metaObject()->className()) + ' ' + widget.objectName().toStdString() +
         ' ' + widget.accessibleName().toStdString();
}

void settle() {
  for (int i = 0; i < 5; ++i) QApplication::processEvents();
}

/// No widget is smaller than it needs, reaches outside its parent sideways, or holds text that is
/// wider than itself.
void check_nothing_clipped(QWidget& page) {
  for (QWidget* widget : page.findChildren<QWidget*>()) {
    if (!widget->isVisibleTo(&page) || widget->width() == 0) continue;
    const QWidget* parent = widget->parentWidget();
    if (parent != nullptr && parent->layout() != nullptr &&
        parent->layout()->indexOf(widget) >= 0) {
      BOOST_TEST(widget->geometry().left() >= 0, about(*widget));
      BOOST_TEST(widget->geometry().right() < parent->width(), about(*widget));
      BOOST_TEST(widget->width() >= widget->minimumSizeHint().width(), about(*widget));
      BOOST_TEST(widget->height() >= widget->minimumSizeHint().height(), about(*widget));
    }
    if (const auto* label = qobject_cast<QLabel*>(widget)) {
      const bool wraps = label->wordWrap();
      const bool whole =
          wraps ? label->height() >= label->heightForWidth(label->width())
                : label->width() >= label->sizeHint().width() || !label->toolTip().isEmpty();
      BOOST_TEST(whole, "cut: " << label->text().toStdString());
    }
    if (const auto* button = qobject_cast<QAbstractButton*>(widget)) {
      BOOST_TEST(button->width() >= button->fontMetrics().horizontalAdvance(button->text()),
                 "cut: " << button->text().toStdString());
    }
  }
}

/// Every cell's text fits its column.
void check_cells(const TableView& view) {
  const QAbstractItemModel& model = *view.model();
  const QHeaderView& header = *view.horizontalHeader();
  BOOST_TEST(header.height() >= header.sizeHint().height());
  for (int column = 0; column < model.columnCount(); ++column) {
    BOOST_TEST(view.columnWidth(column) >= header.sectionSizeHint(column));
    for (int row = 0; row < model.rowCount(); ++row) {
      const QString text = model.index(row, column).data().toString();
      BOOST_TEST(view.columnWidth(column) >= view.fontMetrics().horizontalAdvance(text),
                 "cut: " << text.toStdString() << " in column " << column);
    }
  }
}

BOOST_AUTO_TEST_SUITE(layout)

BOOST_AUTO_TEST_CASE(both_pages_are_whole_in_both_themes_and_sizes) {
  TestWindow test("mlp-diabetes");
  test.openRun("mlp-digits", 20, 100);
  MainWindow& window = test.window;
  window.show();
  for (const MainWindow::Theme theme : {MainWindow::Theme::kLight, MainWindow::Theme::kDark}) {
    window.setTheme(theme);
    settle();
    BOOST_TEST(is_dark(window.palette()) == (theme == MainWindow::Theme::kDark));
    for (const QSize size : {QSize(1024, 700), QSize(1920, 1080)}) {
      window.resize(size);
      BOOST_TEST((window.size() == size));
      for (QWidget* page :
           {static_cast<QWidget*>(&window.planPage()), static_cast<QWidget*>(&window.runPage())}) {
        window.showPage(page);
        settle();
        check_nothing_clipped(*page);
        const QImage picture = window.grab().toImage();
        BOOST_TEST((picture.size() == size));
        // The chart's ground follows the theme.
        const ChartColors colors = chart_colors(window.palette());
        BOOST_TEST(contrast(colors.text, colors.background) > 10);
      }
      check_cells(window.runPage().memoryTable());
      check_cells(window.runPage().speedTable());
      window.showPage(&window.planPage());
      settle();
      check_cells(window.planPage().memoryTable());
    }
  }
}

BOOST_AUTO_TEST_CASE(every_control_has_a_name) {
  TestWindow test;
  test.window.show();
  settle();
  for (QWidget* widget : test.window.planPage().form().findChildren<QWidget*>()) {
    const bool control = widget->inherits("QAbstractSpinBox") || widget->inherits("QComboBox") ||
                         widget->inherits("QSlider") ||
                         (widget->inherits("QLineEdit") &&
                          widget->parentWidget()->inherits("QAbstractSpinBox") == false);
    if (control && widget->parentWidget()->inherits("QComboBox") == false) {
      BOOST_TEST(!widget->accessibleName().isEmpty(), about(*widget));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_wheel_scrolls_and_changes_nothing) {
  TestWindow test;
  test.window.show();
  settle();
  const PlanState before = test.window.plan().state();
  for (QWidget* widget : test.window.planPage().form().findChildren<QWidget*>()) {
    widget->clearFocus();
    QWheelEvent wheel(QPointF(2, 2), widget->mapToGlobal(QPointF(2, 2)), {}, QPoint(0, 120),
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &wheel);
  }
  BOOST_TEST(same_plan(before, test.window.plan().state()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::gui
