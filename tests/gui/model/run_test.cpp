#include "gui/model/run_document.h"
#include "tests/gui/model/samples.h"

#include <boost/test/unit_test.hpp>

#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <cmath>

namespace headroom::gui {
namespace {

namespace fs = std::filesystem;

template <class Condition>
bool wait_for(Condition condition) {
  constexpr int kPatience = 20000;  // ms; only a broken program waits that long
  QElapsedTimer clock;
  clock.start();
  while (!condition() && clock.elapsed() < kPatience) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
  }
  return condition();
}

/// Row of the memory table by its first cell.
const TableRow& row_named(const RunReport& report, const QString& name) {
  for (const TableRow& row : report.memory.rows) {
    if (row.cells.front() == name) return row;
  }
  throw Error("no row " + name.toStdString());
}

struct Opened {
  explicit Opened(const fs::path& folder) : document(test::hardware()) {
    QObject::connect(&document, &RunDocument::opened, [this] { opened = true; });
    QObject::connect(&document, &RunDocument::failed,
                     [this](const std::vector<Problem>& what) { problems = what; });
    document.open(folder);
    ready = wait_for([this] { return opened || !problems.empty(); });
  }
  bool opened = false, ready = false;
  std::vector<Problem> problems;
  RunDocument document;
};

BOOST_AUTO_TEST_SUITE(run_document)

BOOST_AUTO_TEST_CASE(a_run_that_did_what_was_predicted_has_no_error) {
  const test::TemporaryFolder folder;
  for (const char* name : {"cruncher", "mlp-digits-gelu", "cruncher-accumulation"}) {
    test::write_run(folder.path() / name, name, 5);
    const Opened run(folder.path() / name);
    BOOST_REQUIRE(run.opened);
    const RunReport& report = run.document.report();
    BOOST_TEST(report.missing.isEmpty(), report.missing.toStdString());
    BOOST_TEST(report.exact);
    BOOST_TEST(report.error.toStdString() == "+0.00%");
    BOOST_TEST(!report.bars.empty());
    for (const PairedBar& bar : report.bars) BOOST_TEST(bar.equal, bar.name.toStdString());
    for (const char* total : {"all tensors", "allocated (rounded)", "reserved"}) {
      BOOST_TEST(row_named(report, total).cells[3].toStdString() == "0");
      BOOST_TEST(row_named(report, total).cells[4].toStdString() == "+0.00%");
    }
    // 4096 bytes were named, 7 were not.
    BOOST_TEST(row_named(report, "unexplained rest").cells[2].toStdString() == "7");
    BOOST_TEST(report.loss.points.size() == 5U);
  }
}

BOOST_AUTO_TEST_CASE(a_gap_is_shown_with_its_sign) {
  const test::TemporaryFolder folder;
  test::write_run(folder.path() / "run", "cruncher", 2, 1000);
  const Opened run(folder.path() / "run");
  BOOST_REQUIRE(run.opened);
  const RunReport& report = run.document.report();
  BOOST_TEST(!report.exact);
  BOOST_TEST(report.error.startsWith("-"), report.error.toStdString());
  BOOST_TEST(row_named(report, "activations").cells[3].toStdString() == "-1,000");
  BOOST_TEST(row_named(report, "parameters").cells[3].toStdString() == "0");
  BOOST_TEST(report.worst.contains("activations"), report.worst.toStdString());
}

BOOST_AUTO_TEST_CASE(a_growing_log_is_followed_and_a_new_one_replaces_it) {
  const test::TemporaryFolder folder;
  test::write_run(folder.path(), "cruncher", 3);
  Opened run(folder.path());
  BOOST_REQUIRE(run.opened);
  BOOST_TEST(run.document.report().status.toStdString() == "step 3 of 3");
  io::RunLogWriter(folder.path() / "run.jsonl").append(test::step_record(4, 0.5));
  BOOST_TEST(wait_for([&] { return run.document.report().loss.points.size() == 4; }));
  EndRecord end;
  end.reason = "finished";
  end.step = 4;
  io::RunLogWriter(folder.path() / "run.jsonl").append(end);
  BOOST_TEST(wait_for([&] { return run.document.report().status.startsWith("finished"); }));
  fs::remove(folder.path() / "run.jsonl");
  io::RunLogWriter(folder.path() / "run.jsonl").append(test::step_record(1, 2));
  // Removed for a moment, then another file: either is told, none is a crash.
  BOOST_TEST(wait_for(
      [&] { return run.document.report().loss.points.size() == 1 || !run.problems.empty(); }));
}

BOOST_AUTO_TEST_CASE(a_run_without_a_step_says_so) {
  const test::TemporaryFolder folder;
  test::write_run(folder.path(), "cruncher", 0);
  const Opened run(folder.path());
  BOOST_REQUIRE(run.opened);
  BOOST_TEST(!run.document.report().missing.isEmpty());
  BOOST_TEST(run.document.report().bars.empty());
}

BOOST_AUTO_TEST_CASE(bad_folders_change_nothing) {
  const test::TemporaryFolder folder;
  test::write_run(folder.path() / "good", "cruncher", 2);
  Opened run(folder.path() / "good");
  BOOST_REQUIRE(run.opened);
  const QString title = run.document.report().title;
  fs::create_directories(folder.path() / "empty");
  test::write_run(folder.path() / "torn", "cruncher", 2);
  folder.write("torn/run.jsonl", "this is no record\n");
  test::write_run(folder.path() / "planless", "cruncher", 2);
  folder.write("planless/plan.yaml", "model: 3\n");
  for (const char* bad : {"empty", "torn", "planless", "missing"}) {
    run.problems.clear();
    run.document.open(folder.path() / bad);
    BOOST_TEST(wait_for([&] { return !run.problems.empty(); }), bad);
    BOOST_TEST(!run.document.loading());
    BOOST_TEST((run.document.folder() == folder.path() / "good"));
    BOOST_TEST(run.document.report().title.toStdString() == title.toStdString());
  }
  // The good one is still followed.
  io::RunLogWriter(folder.path() / "good/run.jsonl").append(test::step_record(3, 1));
  BOOST_TEST(wait_for([&] { return run.document.report().loss.points.size() == 3; }));
}

BOOST_AUTO_TEST_CASE(closing_while_loading_is_safe) {
  const test::TemporaryFolder folder;
  test::write_run(folder.path(), "cruncher", 2000);
  for (int i = 0; i < 5; ++i) {
    RunDocument document(test::hardware());
    document.open(folder.path());
    BOOST_TEST(document.loading());
    if (i % 2 == 0) document.cancel();
    for (int k = 0; k < i; ++k) QCoreApplication::processEvents();
  }
  RunDocument document(test::hardware());
  bool opened = false;
  QObject::connect(&document, &RunDocument::opened, [&] { opened = true; });
  document.open(folder.path());
  document.cancel();
  document.open(folder.path());
  BOOST_TEST(wait_for([&] { return opened; }));
  BOOST_TEST(document.report().loss.points.size() <= 1002U);
}

BOOST_AUTO_TEST_CASE(thinning_keeps_spikes) {
  std::vector<LogRecord> records;
  for (int step = 1; step <= 50000; ++step) {
    records.emplace_back(test::step_record(step, step == 31234 ? 99.0 : 1.0 / step));
  }
  records.emplace_back(test::step_record(50001, NAN));
  const LossReport report = loss_report(records, 1000);
  BOOST_TEST(report.points.size() <= 1002U);
  bool spike = false;
  for (const QPointF& point : report.points) {
    spike = spike || (point.x() == 31234 && point.y() == 99);
    BOOST_TEST(std::isfinite(point.y()));
  }
  BOOST_TEST(spike);
  BOOST_TEST(report.highest >= 99);
}

BOOST_AUTO_TEST_CASE(tables_keep_their_contracts) {
  const test::TemporaryFolder folder;
  test::write_run(folder.path(), "cruncher", 2);
  const Opened run(folder.path());
  BOOST_REQUIRE(run.opened);
  ReportTable table;
  const QAbstractItemModelTester tester(&table,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  table.setContent(run.document.report().memory);
  table.setContent(run.document.report().speed);
  for (const TableRow& row : run.document.report().memory.rows) {
    BOOST_TEST(row.cells.size() == run.document.report().memory.columns.size());
    BOOST_TEST(!row.how.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::gui
