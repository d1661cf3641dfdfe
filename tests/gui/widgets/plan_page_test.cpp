#include "core/describe/format.h"
#include "core/io/plan_yaml.h"
#include "gui/widgets/number_spin.h"
#include "tests/gui/widgets/window.h"

#include <boost/test/unit_test.hpp>

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>

namespace headroom::gui {
namespace {

using test::TestWindow;

QString cell(TableView& table, const QString& name, int column) {
  for (const TableRow& row : table.table().content().rows) {
    if (row.cells.front() == name) return row.cells[static_cast<std::size_t>(column)];
  }
  return "no row " + name;
}

FieldRow& row(TestWindow& test, const std::string& path) {
  FieldRow* found = test.window.planPage().form().row(path);
  BOOST_REQUIRE_MESSAGE(found != nullptr, path);
  return *found;
}

BOOST_AUTO_TEST_SUITE(plan_page)

BOOST_AUTO_TEST_CASE(moving_a_slider_shows_what_the_estimator_says) {
  for (const std::string& name : test::kShippedPlans) {
    TestWindow test(name);
    auto* slider = row(test, "training.micro_batch_size").findChild<QSlider*>();
    BOOST_REQUIRE(slider != nullptr);
    Plan plan = io::load_plan(test::shipped_plan(name)).plan;
    for (const int position : {0, 12, 3}) {
      slider->setValue(position);
      plan.training.micro_batch_size = std::int64_t{1} << position;
      const auto direct = test::estimate_directly(plan);
      TableView& table = test.window.planPage().memoryTable();
      BOOST_TEST(cell(table, "device peak", 2).toStdString() ==
                 format_count(direct.device().device_peak().value()));
      for (const Category category : all_categories()) {
        Bytes bytes = direct.device().usage.at_peak[category];
        if (category == Category::kContext) bytes += direct.device().context;
        if (bytes.value() == 0) continue;
        BOOST_TEST(cell(table, label(category), 2).toStdString() == format_count(bytes.value()),
                   name << ' ' << label(category).toStdString());
      }
      BOOST_TEST(cell(test.window.planPage().factsTable(), "all", 1).toStdString() ==
                 format_flops(direct.flops.total()));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_editor_follows_undo) {
  TestWindow test;
  auto* spin = row(test, "model.dim").findChild<NumberSpin*>();
  auto* slider = row(test, "model.dim").findChild<QSlider*>();
  auto* combo = row(test, "training.optimizer.name").findChild<QComboBox*>();
  slider->setValue(10);
  BOOST_TEST((spin->value() == KeyValue(std::int64_t{1024})));
  combo->setCurrentIndex(combo->findData("adamw"));
  emit combo->activated(combo->currentIndex());
  BOOST_TEST(test.window.planPage().form().row("training.optimizer.betas") != nullptr);
  BOOST_TEST(test.window.planPage().form().row("training.optimizer.eps_inside_root") == nullptr);
  BOOST_TEST(test.window.isWindowModified());
  test.window.actions().undo->trigger();
  BOOST_TEST(combo->currentData().toString().toStdString() == "adagrad");
  test.window.actions().undo->trigger();
  BOOST_TEST((spin->value() == KeyValue(std::int64_t{64})));
  BOOST_TEST(slider->value() == 6);
  BOOST_TEST(!test.window.isWindowModified());
  test.window.actions().redo->trigger();
  BOOST_TEST(slider->value() == 10);
}

BOOST_AUTO_TEST_CASE(a_pressed_slider_makes_one_undo_step) {
  TestWindow test;
  auto* slider = row(test, "model.dim").findChild<QSlider*>();
  slider->setSliderDown(true);
  for (int position = 7; position < 12; ++position) slider->setValue(position);
  slider->setSliderDown(false);
  BOOST_TEST(test.window.plan().undoStack()->count() == 1);
}

BOOST_AUTO_TEST_CASE(typed_nonsense_is_told_at_the_field) {
  TestWindow test("mlp-digits");
  FieldRow& sizes = row(test, "model.hidden_sizes");
  auto* edit = sizes.findChild<QLineEdit*>();
  const PlanState before = test.window.plan().state();
  edit->setText("128, many");
  emit edit->editingFinished();
  BOOST_TEST(!sizes.problem().isEmpty());
  BOOST_TEST(same_plan(before, test.window.plan().state()));
  edit->setText("128, 32");
  emit edit->editingFinished();
  BOOST_TEST(sizes.problem().isEmpty());
  BOOST_TEST((std::get<MlpPlan>(test.window.plan().state().plan.model.family).hidden_sizes ==
              std::vector<std::int64_t>{128, 32}));
}

BOOST_AUTO_TEST_CASE(problems_of_the_plan_are_told_and_go_away) {
  TestWindow test;
  BOOST_TEST(test.window.plan()
                 .edit({{"training.lr_schedule.warmup_steps", std::int64_t{100000}}}, "warm-up")
                 .empty());
  PlanPage& page = test.window.planPage();
  BOOST_TEST(page.messages().text().contains("warmup_steps"));
  BOOST_TEST(!row(test, "training.lr_schedule.warmup_steps").problem().isEmpty());
  test.window.actions().undo->trigger();
  BOOST_TEST(page.messages().text().isEmpty());
  BOOST_TEST(row(test, "training.lr_schedule.warmup_steps").problem().isEmpty());
}

BOOST_AUTO_TEST_CASE(a_suggestion_is_applied_by_its_button) {
  TestWindow test("cruncher-adamw");
  PlanPage& page = test.window.planPage();
  BOOST_TEST(test.window.plan()
                 .edit({{"model.dim", std::int64_t{16384}},
                        {"model.num_layers", std::int64_t{16}},
                        {"training.micro_batch_size", std::int64_t{131072}},
                        {"hardware.gpu", std::string("h100-sxm")}},
                       "grow")
                 .empty());
  BOOST_REQUIRE(test::wait_for([&] { return page.suggestionsTable().table().rowCount() > 0; }));
  const Bytes before = test.window.plan().estimate()->device().device_peak();
  const Bytes saves = test.window.plan().suggestions().front().saves;
  page.suggestionsTable().selectRow(0);
  page.applySuggestion();
  BOOST_TEST((before - test.window.plan().estimate()->device().device_peak() == saves));
  test.window.actions().undo->trigger();
  BOOST_TEST((test.window.plan().estimate()->device().device_peak() == before));
}

BOOST_AUTO_TEST_CASE(tables_and_commands_are_copied) {
  TestWindow test;
  TableView& table = test.window.planPage().memoryTable();
  QKeyEvent copy(QEvent::KeyPress, Qt::Key_C, Qt::ControlModifier);
  QApplication::sendEvent(&table, &copy);
  const QString text = QApplication::clipboard()->text();
  BOOST_TEST(text.startsWith("memory at the peak\tsize\tbytes\tshare\n"), text.toStdString());
  BOOST_TEST(text.count('\n') == table.table().rowCount() + 1);
  test.window.actions().copy_command->trigger();
  BOOST_TEST(QApplication::clipboard()->text().startsWith("headroom estimate "));
  test.window.actions().copy_yaml->trigger();
  const test::TemporaryFolder folder;
  const auto path = folder.write("copied.yaml", QApplication::clipboard()->text().toStdString());
  Plan copied = io::load_plan(path).plan;
  copied.data.path = test.window.plan().state().plan.data.path;  // written relative to the plan
  BOOST_TEST((copied == test.window.plan().state().plan));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::gui
