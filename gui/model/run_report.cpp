#include "gui/model/run_report.h"

#include "core/describe/error.h"
#include "core/describe/format.h"
#include "estimator/measured_run.h"
#include "gui/model/byte_scale.h"
#include "gui/model/text.h"

#include <algorithm>
#include <cmath>

namespace headroom::gui {
namespace {

using estimator::Comparison;
using estimator::Difference;
using Kind = TableRow::Kind;

QString exact(Bytes bytes) { return to_qt(format_count(bytes.value())); }
QString rough(Bytes bytes) { return to_qt(format_bytes(bytes)); }

QString signed_bytes(Bytes bytes) { return (bytes.value() > 0 ? "+" : "") + exact(bytes); }

QString error_text(const std::optional<double>& error) {
  return error ? to_qt(format_error(*error)) : QStringLiteral("not measured");
}

std::optional<Part> part_named(const std::string& name) {
  if (const auto category = category_from_name(name)) return Part(*category);
  return std::nullopt;
}

std::vector<PairedBar> bars_of(const Comparison& comparison) {
  std::int64_t longest = 1;
  for (const Difference& line : comparison.tensors) {
    longest = std::max({longest, line.predicted.value(), line.measured.value()});
  }
  std::vector<PairedBar> bars;
  for (const Difference& line : comparison.tensors) {
    bars.push_back(
        {.name = words(line.name),
         .part = part_named(line.name),
         .predicted = static_cast<double>(line.predicted.value()) / static_cast<double>(longest),
         .measured = static_cast<double>(line.measured.value()) / static_cast<double>(longest),
         .predicted_text = rough(line.predicted),
         .measured_text = rough(line.measured),
         .error_text = error_text(line.error()),
         .equal = line.predicted == line.measured});
  }
  return bars;
}

Explanation error_explained(const Difference& line) {
  Explanation how{
      .title = words(line.name),
      .meaning = "Error = (predicted - measured) / measured.",
      .formula = {QStringLiteral("(%1 - %2) / %2 = %3")
                      .arg(exact(line.predicted), exact(line.measured), error_text(line.error()))},
      .source =
          "Predicted from the plan alone; measured by the ledger of the run, "
          "which records tensors as they are born and die."};
  return how;
}

void add(TableContent& table, const Difference& line, const QString& name, Kind kind) {
  TableRow row{.cells = {name, exact(line.predicted), exact(line.measured),
                         signed_bytes(line.predicted - line.measured), error_text(line.error())},
               .kind = kind,
               .part = part_named(line.name),
               .how = error_explained(line),
               .problem = {}};
  row.how.title = name;
  table.rows.push_back(std::move(row));
}

void add_measured(
    TableContent& table, const QString& name, Bytes bytes, Kind kind, const QString& meaning) {
  table.rows.push_back({.cells = {name, {}, exact(bytes), {}, {}},
                        .kind = kind,
                        .part = {},
                        .how = {.title = name, .meaning = meaning, .formula = {}, .source = {}},
                        .problem = {}});
}

TableContent memory_table(const Comparison& c) {
  TableContent table{.columns = {{"bytes at the peak"},
                                 {"predicted", true},
                                 {"measured", true},
                                 {"difference", true},
                                 {"error", true}},
                     .rows = {}};
  for (const Difference& line : c.tensors) add(table, line, words(line.name), Kind::kPlain);
  add(table, c.tensors_peak, "all tensors", Kind::kTotal);
  add(table, c.allocated_peak, "allocated (rounded)", Kind::kPlain);
  add(table, c.reserved, "reserved", Kind::kPlain);
  add_measured(table, "device growth", c.device_peak, Kind::kPlain,
               "What the operating system or driver counts, from before the device was opened.");
  for (const auto& [name, bytes] : c.fixed_parts) {
    add_measured(table, words(name), bytes, Kind::kPlain,
                 "Measured when it came into being; no tensor.");
  }
  add_measured(table, "unexplained rest", c.unexplained, Kind::kTotal,
               "Device growth less reserved memory and the parts named above. It is shown as it "
               "is, and never spread over the categories.");
  table.rows.back().how.formula << QStringLiteral("%1 - %2%3 = %4")
                                       .arg(exact(c.device_peak), exact(c.reserved.measured),
                                            c.fixed_parts.empty() ? "" : " - named parts",
                                            exact(c.unexplained));
  return table;
}

TableContent speed_table(const Comparison& c) {
  TableContent table{
      .columns = {{"quantity"}, {"predicted", true}, {"measured", true}, {"error", true}},
      .rows = {}};
  const auto seconds = [](const std::optional<Seconds>& time) {
    return time ? to_qt(format_seconds(*time)) : QStringLiteral("-");
  };
  const auto percent = [](const std::optional<double>& share) {
    return share ? to_qt(format_percent(*share)) : QStringLiteral("-");
  };
  Explanation step{.title = "step time",
                   .meaning = "Measured: the median of the last session, without its first steps.",
                   .formula = {},
                   .source = {}};
  if (c.predicted_step_low && c.predicted_step_high) {
    step.formula << "predicted range: " + seconds(c.predicted_step_low) + " to " +
                        seconds(c.predicted_step_high);
  }
  const auto step_error = c.step_error();
  table.rows.push_back({.cells = {"step time", seconds(c.predicted_step), seconds(c.measured_step),
                                  step_error ? to_qt(format_error(*step_error)) : "-"},
                        .kind = Kind::kPlain,
                        .part = {},
                        .how = std::move(step),
                        .problem = {}});
  table.rows.push_back({.cells = {"MFU", percent(c.predicted_mfu), percent(c.measured_mfu), {}},
                        .kind = Kind::kPlain,
                        .part = {},
                        .how = {.title = "MFU",
                                .meaning = "Model FLOPs over step time and the device's peak.",
                                .formula = {},
                                .source = {}},
                        .problem = {}});
  return table;
}

QString worst_of(const Comparison& c) {
  const Difference* worst = nullptr;
  double largest = 0;
  for (const Difference& line : c.tensors) {
    const auto error = line.error();
    const double size = error ? std::abs(*error) : INFINITY;
    if (size > largest) worst = &line, largest = size;
  }
  if (worst == nullptr) return QStringLiteral("every category is equal to the byte");
  return "furthest off: " + words(worst->name) + ", " + error_text(worst->error());
}

template <class Record>
const Record* last_of(const std::vector<LogRecord>& records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (const auto* found = std::get_if<Record>(&*record)) return found;
  }
  return nullptr;
}

void describe(const std::vector<LogRecord>& records, RunReport& report) {
  const auto* run = last_of<RunRecord>(records);
  const auto* step = last_of<StepRecord>(records);
  const bool ended = !records.empty() && std::holds_alternative<EndRecord>(records.back());
  if (run != nullptr) {
    report.title = QStringLiteral("%1 on %2")
                       .arg(to_qt(run->model),
                            to_qt(run->device_name.empty() ? run->device : run->device_name));
    report.subtitle = QStringLiteral("%1 parameters; data: %2")
                          .arg(to_qt(format_count(run->parameters)), to_qt(run->data));
  }
  if (ended) {
    const auto& end = std::get<EndRecord>(records.back());
    report.status = QStringLiteral("%1 after %2 steps").arg(to_qt(end.reason)).arg(end.step);
    if (!end.message.empty()) report.status += ": " + to_qt(end.message);
  } else if (step != nullptr && run != nullptr) {
    report.status = QStringLiteral("step %1 of %2").arg(step->step).arg(run->total_steps);
  } else {
    report.status = "no step has been logged yet";
  }
}

}  // namespace

LossReport loss_report(const std::vector<LogRecord>& records, std::size_t most) {
  std::vector<QPointF> all;
  for (const LogRecord& record : records) {
    if (const auto* step = std::get_if<StepRecord>(&record); step != nullptr) {
      if (std::isfinite(step->loss)) all.emplace_back(static_cast<double>(step->step), step->loss);
    }
  }
  LossReport report;
  if (all.empty()) return report;
  const auto by_loss = [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); };
  const std::size_t bucket = 2 * ((all.size() + most - 1) / most);
  for (std::size_t begin = 0; begin < all.size(); begin += bucket) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last =
        all.begin() + static_cast<std::ptrdiff_t>(std::min(begin + bucket, all.size()));
    if (all.size() <= most) {
      report.points.insert(report.points.end(), first, last);
      continue;
    }
    auto [low, high] = std::minmax_element(first, last, by_loss);
    if (low > high) std::swap(low, high);
    report.points.push_back(*low);
    if (low != high) report.points.push_back(*high);
  }
  constexpr int kStepTicks = 6, kLossTicks = 4;
  const auto [low, high] = std::minmax_element(all.begin(), all.end(), by_loss);
  const double span = std::max(high->y() - low->y(), std::abs(high->y()) * 1e-3 + 1e-12);
  report.interval = round_interval(span, kLossTicks);
  report.lowest = std::floor(low->y() / report.interval) * report.interval;
  report.highest = std::ceil((low->y() + span) / report.interval) * report.interval;
  report.decimals =
      std::clamp(static_cast<int>(-std::floor(std::log10(report.interval) + 1e-9)), 0, 8);
  report.first_step = all.front().x();
  report.last_step = std::max(all.back().x(), report.first_step + 1);
  report.step_interval =
      std::max(1.0, round_interval(report.last_step - report.first_step, kStepTicks));
  report.summary = QStringLiteral("%1 to %2 over %3")
                       .arg(all.front().y(), 0, 'g', 4)
                       .arg(all.back().y(), 0, 'g', 4)
                       .arg(to_qt(format_counted(std::llround(all.back().x()), "step")));
  return report;
}

RunReport run_report(const std::vector<LogRecord>& records,
                     const estimator::Estimate* predicted,
                     const QString& why_not,
                     const std::string& run) {
  RunReport report;
  describe(records, report);
  report.loss = loss_report(records);
  if (predicted == nullptr) {
    report.missing = why_not;
    return report;
  }
  try {
    const Comparison comparison =
        estimator::compare(*predicted, estimator::measured_run(records, run));
    const Difference& all = comparison.tensors_peak;
    report.headline =
        QStringLiteral("predicted %1, measured %2").arg(rough(all.predicted), rough(all.measured));
    report.error = error_text(all.error());
    report.exact = all.predicted == all.measured;
    report.worst = worst_of(comparison);
    report.bars = bars_of(comparison);
    report.memory = memory_table(comparison);
    report.speed = speed_table(comparison);
  } catch (const Error& error) {
    report.missing = to_qt(error.what());
  }
  return report;
}

}  // namespace headroom::gui
