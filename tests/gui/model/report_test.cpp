#include "core/io/plan_yaml.h"
#include "gui/model/byte_scale.h"
#include "gui/model/palette.h"
#include "gui/model/plan_report.h"
#include "gui/model/report_table.h"
#include "tests/gui/model/samples.h"

#include <boost/test/unit_test.hpp>

#include <QAbstractItemModelTester>
#include <cmath>

namespace headroom::gui {
namespace {

estimator::Estimate estimate_of(const std::string& name) {
  return test::estimate_directly(io::load_plan(test::shipped_plan(name)).plan);
}

BOOST_AUTO_TEST_SUITE(reports)

BOOST_AUTO_TEST_CASE(parts_add_up_to_the_device_peak) {
  for (const std::string& name : test::kShippedPlans) {
    const auto estimate = estimate_of(name);
    Bytes sum;
    for (const MemoryPart& part : memory_parts(estimate)) sum += part.bytes;
    BOOST_TEST((sum == estimate.device().device_peak()), name);
    const BarReport bar = bar_report(estimate);
    BOOST_TEST(std::abs(bar.segments.back().end - 1) < 1e-12);
    BOOST_TEST(bar.used <= 1);
    BOOST_TEST(bar.limit.value_or(0) <= 1);
  }
}

BOOST_AUTO_TEST_CASE(formulas_are_of_the_tensors_of_the_notes) {
  // Cruncher with D = 64, L = 4 in f32: L weights of D x D and one of D, four bytes each.
  const auto estimate = estimate_of("cruncher");
  const auto parts = memory_parts(estimate);
  BOOST_REQUIRE(parts.front().part == Part(Category::kParameters));
  BOOST_TEST(parts.front().bytes.value() == 4 * (4 * 64 * 64 + 64));
  const QString formula = parts.front().how.formula.join('\n');
  BOOST_TEST(formula.contains("4 x 4,096 values x 4 B (f32) = 65,536 B"), formula.toStdString());
  BOOST_TEST(formula.contains("64 values x 4 B (f32) = 256 B"), formula.toStdString());
  BOOST_TEST(formula.contains("sum = 65,792 B"), formula.toStdString());
}

BOOST_AUTO_TEST_CASE(every_row_with_a_number_is_explained) {
  for (const std::string& name : test::kShippedPlans) {
    const PlanReport report = plan_report(estimate_of(name));
    for (const TableContent* table : {&report.memory, &report.facts}) {
      for (const TableRow& row : table->rows) {
        BOOST_TEST(row.cells.size() == table->columns.size());
        if (row.kind != TableRow::Kind::kHeading) {
          BOOST_TEST(!row.how.empty(), row.cells.front().toStdString());
        }
      }
    }
    BOOST_TEST(!report.notes.isEmpty());
  }
}

BOOST_AUTO_TEST_CASE(the_timeline_peaks_where_the_estimate_does) {
  for (const std::string& name : test::kShippedPlans) {
    const auto estimate = estimate_of(name);
    const TimelineReport report = timeline_report(estimate);
    const double peak = report.moments[report.peak].tops[report.categories.size() - 1];
    BOOST_TEST(peak == report.scale.in_units(estimate.device().usage.tensors_peak));
    BOOST_TEST(peak <= report.scale.last);
    // Thinning never loses the peak.
    const TimelineReport thin = timeline_report(estimate, 5);
    BOOST_TEST(thin.moments.size() <= 5U);
    BOOST_TEST(thin.moments[thin.peak].tops[thin.categories.size() - 1] == peak);
  }
}

BOOST_AUTO_TEST_CASE(models_keep_their_contracts) {
  ReportTable table;
  const QAbstractItemModelTester tester(&table,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  for (const std::string& name : test::kShippedPlans) {
    PlanReport report = plan_report(estimate_of(name));
    table.setContent(std::move(report.memory));
    table.setColors(chart_colors(dark_palette()));
    table.setContent(std::move(report.facts));
  }
  table.setContent({});
  BOOST_TEST(table.rowCount() == 0);
}

BOOST_AUTO_TEST_CASE(tables_copy_as_tab_separated_text) {
  ReportTable table;
  table.setContent(
      {.columns = {{"a"}, {"b", true}},
       .rows = {{.cells = {"x", "1,000"}, .kind = {}, .part = {}, .how = {}, .problem = {}},
                {.cells = {"y", "2"}, .kind = {}, .part = {}, .how = {}, .problem = {}}}});
  BOOST_TEST(table.toTsv().toStdString() == "a\tb\nx\t1,000\ny\t2\n");
  BOOST_TEST(table.toTsv({table.index(1, 0)}).toStdString() == "a\tb\ny\t2\n");
}

BOOST_AUTO_TEST_CASE(axes_are_round) {
  struct Row {
    std::int64_t bytes;
    const char* unit;
    double last, interval;
  };
  for (const Row& row : {Row{0, "B", 1, 1},
                         {1000, "B", 1000, 200},
                         {1024, "KiB", 1, 0.2},
                         {80LL << 30, "GiB", 80, 20},
                         {(80LL << 30) + 1, "GiB", 100, 20}}) {
    const ByteScale scale = byte_scale(Bytes(row.bytes), 5);
    BOOST_TEST(scale.unit_name.toStdString() == row.unit, row.bytes);
    BOOST_TEST(std::abs(scale.last - row.last) < 1e-9, row.bytes << " gave " << scale.last);
    BOOST_TEST(std::abs(scale.interval - row.interval) < 1e-9, row.bytes << ": " << scale.interval);
  }
}

BOOST_AUTO_TEST_CASE(colours_can_be_told_apart) {
  for (const QPalette& palette : {light_palette(), dark_palette()}) {
    const ChartColors colors = chart_colors(palette);
    BOOST_TEST(colors.dark == is_dark(palette));
    for (const QColor& text :
         {colors.text, colors.muted_text, colors.good, colors.warning, colors.bad}) {
      BOOST_TEST(contrast(text, colors.background) >= 4.5);
    }
    for (std::size_t i = 0; i < kPartCount; ++i) {
      const Part part = i < kCategoryCount ? Part(static_cast<Category>(i)) : Part::packing();
      const PartStyle style = part_style(part, colors.dark);
      BOOST_TEST(style.color.hsvSaturationF() > 0.3, label(part).toStdString() << " is grey");
      BOOST_TEST(contrast(text_on(style.color), style.color) >= 4.5);
      for (std::size_t j = 0; j < i; ++j) {
        const Part other = static_cast<Category>(j);
        const PartStyle before = part_style(other, colors.dark);
        BOOST_TEST((before.color != style.color || before.hatched != style.hatched));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::gui
