#include "tests/gui/widgets/window.h"

#include "core/io/plan_yaml.h"
#include "gui/widgets/about.h"

#include <boost/test/unit_test.hpp>

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QImage>
#include <QMimeData>
#include <QUrl>
#include <set>

namespace headroom::gui {
namespace {

using test::TestWindow;

void drop(QWidget& target, const std::filesystem::path& path) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(QString::fromStdString(path.string()))});
  QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&target, &enter);
  BOOST_TEST(enter.isAccepted());
  QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&target, &event);
}

BOOST_AUTO_TEST_SUITE(window)

BOOST_AUTO_TEST_CASE(a_bad_file_shows_a_message_and_changes_nothing) {
  TestWindow test;
  const PlanState before = test.window.plan().state();
  const QString peak = test.window.planPage().memoryTable().table().toTsv();
  const auto bad = test.folder.write("bad.yaml", "model: {type: crunchr}\nnonsense: 1\n");
  test.window.openPath(bad);
  const QString message = test.window.planPage().messages().text();
  BOOST_TEST(message.contains("crunchr"), message.toStdString());
  BOOST_TEST(message.contains("nonsense"), message.toStdString());
  BOOST_TEST(message.contains("bad.yaml:1:"), message.toStdString());
  BOOST_TEST(same_plan(before, test.window.plan().state()));
  BOOST_TEST((peak == test.window.planPage().memoryTable().table().toTsv()));
  test.window.openPath(test::shipped_plan("mlp-digits"));
  BOOST_TEST(test.window.planPage().messages().text().isEmpty());
}

BOOST_AUTO_TEST_CASE(a_plan_that_cannot_be_estimated_shows_no_other_numbers) {
  TestWindow test;
  PlanPage& page = test.window.planPage();
  test.window.show();
  BOOST_TEST(page.bar().isVisible());
  const auto huge = test.folder.write("huge.yaml",
                                      "model: {type: cruncher, dim: 1099511627776, num_layers: 4}\n"
                                      "training: {micro_batch_size: 1, max_steps: 1,\n"
                                      "           optimizer: sgd}\n");
  test.window.openPath(huge);
  BOOST_TEST((test.window.plan().path() == huge));
  BOOST_TEST(page.messages().text().contains("cannot be estimated"));
  BOOST_TEST(page.messages().isVisible());
  BOOST_TEST(!page.bar().isVisible());
  BOOST_TEST(test.window.plan().edit({{"model.dim", std::int64_t{64}}}, "dim").empty());
  BOOST_TEST(page.messages().text().isEmpty());
  BOOST_TEST(page.bar().isVisible());
}

BOOST_AUTO_TEST_CASE(files_open_by_drop) {
  TestWindow test;
  drop(test.window, test::shipped_plan("mlp-linear"));
  BOOST_TEST((test.window.plan().path() == test::shipped_plan("mlp-linear")));
  test::write_run(test.folder.path() / "run-1", "cruncher", 3);
  drop(test.window, test.folder.path() / "run-1/run.jsonl");
  BOOST_TEST(test::wait_for([&] { return test.window.run().isOpen(); }));
  BOOST_TEST(test.window.runPage().headline().contains("predicted"));
  BOOST_TEST(RecentFiles(test.settings).list().size() == 3);
}

BOOST_AUTO_TEST_CASE(unsaved_changes_are_asked_about) {
  TestWindow test("");
  const auto mine = test.folder.path() / "mine.yaml";
  std::filesystem::copy_file(test::shipped_plan("cruncher"), mine);
  test.window.openPath(mine);
  int asked = 0;
  MainWindow::Unsaved answer = MainWindow::Unsaved::kCancel;
  test.window.ask_unsaved = [&] { return ++asked, answer; };
  BOOST_TEST(test.window.close());
  BOOST_TEST(asked == 0);
  BOOST_TEST(test.window.plan().edit({{"model.dim", std::int64_t{8}}}, "dim").empty());
  BOOST_TEST(test.window.actions().save->isEnabled());
  test.window.openPath(test::shipped_plan("mlp-digits"));
  BOOST_TEST(asked == 1);
  BOOST_TEST((test.window.plan().path() == mine));
  test.window.show();
  BOOST_TEST(!test.window.close());
  answer = MainWindow::Unsaved::kSave;
  BOOST_TEST(test.window.close());
  BOOST_TEST((std::get<CruncherPlan>(io::load_plan(mine).plan.model.family).dim == 8));
  BOOST_TEST(!test.window.plan().modified());
}

BOOST_AUTO_TEST_CASE(closing_while_a_run_loads_is_safe) {
  for (int i = 0; i < 3; ++i) {
    TestWindow test;
    test::write_run(test.folder.path() / "run-1", "cruncher", 1000);
    test.window.show();
    test.window.openPath(test.folder.path() / "run-1");
    for (int k = 0; k < i; ++k) QApplication::processEvents();
    BOOST_TEST(test.window.close());
  }
}

BOOST_AUTO_TEST_CASE(a_run_as_predicted_says_so) {
  TestWindow test;
  test.openRun("cruncher", 4);
  BOOST_TEST(!test.window.run().report().bars.empty());
  BOOST_TEST(test.window.run().report().error.toStdString() == "+0.00%");
  BOOST_TEST(test.window.runPage().messages().text().isEmpty());
  const QString table = test.window.runPage().memoryTable().table().toTsv();
  BOOST_TEST(table.contains("all tensors\t"), table.toStdString());
  BOOST_TEST(table.contains("unexplained rest\t\t7"), table.toStdString());
  test.window.openPath(test.folder.path() / "no-such-run.jsonl");
  BOOST_TEST(test::wait_for([&] { return !test.window.runPage().messages().text().isEmpty(); }));
  BOOST_TEST((table == test.window.runPage().memoryTable().table().toTsv()));
}

BOOST_AUTO_TEST_CASE(charts_export_with_legend) {
  TestWindow test;
  test.window.resize(1024, 700);
  test.window.show();
  QApplication::processEvents();
  PlanPage& page = test.window.planPage();
  const QString path = QString::fromStdString((test.folder.path() / "bar.png").string());
  BOOST_TEST(test.window.exportChart(page.bar(), page.bar(), path).isEmpty());
  const QImage image(path);
  BOOST_TEST(image.width() > 2 * page.bar().width());
  // Higher than the bar alone: title and legend are in it.
  BOOST_TEST(image.height() > 2 * (page.bar().height() + 3 * page.fontMetrics().height()));
  BOOST_TEST(!page.bar().legend().empty());
  BOOST_TEST(page.timeline().legend().size() == page.timeline().report().categories.size());
  BOOST_TEST(!test.window.exportChart(page.bar(), page.bar(), "/no/such/folder/x.png").isEmpty());
}

BOOST_AUTO_TEST_CASE(shortcuts_do_not_clash) {
  TestWindow test;
  std::set<QString> seen;
  for (const QAction* action : test.window.actions().all) {
    if (action->shortcut().isEmpty()) continue;
    const QString text = action->shortcut().toString();
    BOOST_TEST(seen.insert(text).second, text.toStdString());
    BOOST_TEST(shortcut_list(test.window.actions()).contains(text));
  }
  BOOST_TEST(seen.size() >= 12U);
}

BOOST_AUTO_TEST_CASE(damaged_settings_fall_back) {
  TestWindow first;
  first.settings.setValue("geometry", "nonsense");
  first.settings.setValue("splitter", 3);
  first.settings.setValue("theme", "pink");
  first.settings.setValue("recent", 7);
  MainWindow window(test::hardware(), first.settings);
  BOOST_TEST(window.width() >= 1024);
  BOOST_TEST(RecentFiles(first.settings).list().isEmpty());
}

BOOST_AUTO_TEST_CASE(about_names_the_licences) {
  const QString text = about_text();
  BOOST_TEST(text.contains("Apache License 2.0"));
  BOOST_TEST(text.contains("GPLv3"));
  BOOST_TEST(text.contains("Qt Charts"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::gui
