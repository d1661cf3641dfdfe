#include "cli/compare_report.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "core/describe/format.h"
#include "core/describe/plan_schema.h"

#include <fmt/format.h>

namespace headroom::cli {
namespace {

using Align = Table::Align;
using estimator::Comparison;
using estimator::Difference;

constexpr int kIndent = 2;

std::string heading(const std::string& text) { return paint(text, Colour::kBold) + '\n'; }

std::string error_text(const std::optional<double>& error) {
  return error ? format_error(*error) : "not predicted";
}

void add(Table& table, const Difference& line) {
  table.add({line.name, format_count(line.predicted.value()), format_count(line.measured.value()),
             error_text(line.error())});
}

std::string moment(const std::string& phase, const std::string& op) {
  return op.empty() ? phase : phase + ", " + op;
}

std::string device_text(const Comparison& c) {
  Table table({Align::kLeft, Align::kRight, Align::kLeft});
  table.add(
      {"growth since the start", format_count(c.device_peak.value()), "counted by the system"});
  table.add({"tensors and packing", format_count(c.reserved.measured.value()), "reserved"});
  for (const auto& [name, bytes] : c.fixed_parts) {
    table.add({name, format_count(bytes.value()), "measured when it came into being"});
  }
  table.rule();
  table.add({"unexplained", format_count(c.unexplained.value()), ""});
  return table.text(kIndent);
}

std::string percent_or_dash(const std::optional<double>& value) {
  return value ? format_percent(*value) : "-";
}

std::string time_text(const Comparison& c) {
  Table table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  table.add({"", "predicted", "measured", "error", ""});
  if (c.predicted_step && c.measured_step) {
    table.add({"step time", format_seconds(*c.predicted_step), format_seconds(*c.measured_step),
               error_text(c.step_error()),
               fmt::format("predicted range {} to {}", format_seconds(*c.predicted_step_low),
                           format_seconds(*c.predicted_step_high))});
  }
  table.add({"MFU", percent_or_dash(c.predicted_mfu), percent_or_dash(c.measured_mfu), "", ""});
  if (c.first_loss && c.last_loss) {
    table.add({"loss", "", fmt::format("{:.6g}", *c.last_loss), "",
               fmt::format("from {:.6g}", *c.first_loss)});
  }
  return table.text(kIndent);
}

}  // namespace

std::string comparison_text(const Comparison& c, const std::string& run) {
  std::string text = heading(run + ": bytes at the peak");
  Table table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
  table.add({"", "predicted", "measured", "error"});
  for (const Difference& line : c.tensors) add(table, line);
  table.rule();
  add(table, {"tensors", c.tensors_peak.predicted, c.tensors_peak.measured});
  add(table, {"allocated", c.allocated_peak.predicted, c.allocated_peak.measured});
  add(table, {"reserved", c.reserved.predicted, c.reserved.measured});
  text += table.text(kIndent);
  text += "  peak predicted in " + moment(c.predicted_peak_phase, c.predicted_peak_op) +
          "; measured in " + moment(c.measured_peak_phase, c.measured_peak_op) + '\n';
  return text + heading("what the system counts") + device_text(c) + heading("time") + time_text(c);
}

std::string plans_text(const std::vector<PlanColumn>& plans) {
  std::vector<Align> aligns{Align::kLeft};
  for (std::size_t i = 0; i < plans.size(); ++i) aligns.push_back(Align::kRight);
  const auto row = [&](const std::string& label, auto value) {
    std::vector<std::string> cells{label};
    for (const PlanColumn& plan : plans) cells.push_back(value(plan));
    return cells;
  };
  Table table(aligns);
  table.add(row("", [](const PlanColumn& p) { return p.name; }));
  for (const KeySpec& key : plan_schema()) {
    if (key.access.get == nullptr) continue;
    const auto cells = row(std::string(key.path), [&](const PlanColumn& p) {
      return to_text(key.access.get(p.estimate.plan));
    });
    for (std::size_t i = 2; i < cells.size(); ++i) {
      if (cells[i] == cells[1]) continue;
      table.add(cells);
      break;
    }
  }
  table.rule();
  table.add(row("parameters",
                [](const PlanColumn& p) { return format_count(p.estimate.model.parameters); }));
  for (Category category : all_categories()) {
    bool any = false;
    for (const PlanColumn& p : plans) {
      any = any || p.estimate.device().usage.at_peak[category].value() != 0;
    }
    if (!any) continue;
    table.add(row(std::string(name(category)), [&](const PlanColumn& p) {
      return format_bytes(p.estimate.device().usage.at_peak[category]);
    }));
  }
  table.add(row("device peak", [](const PlanColumn& p) {
    return format_bytes(p.estimate.device().device_peak());
  }));
  table.add(row("  against " + plans[0].name, [&](const PlanColumn& p) {
    const Bytes base = plans[0].estimate.device().device_peak();
    return format_error(static_cast<double>((p.estimate.device().device_peak() - base).value()) /
                        static_cast<double>(base.value()));
  }));
  table.add(row("step time", [](const PlanColumn& p) {
    return p.estimate.time ? format_seconds(p.estimate.time->step.typical) : "-";
  }));
  table.add(row("speed", [](const PlanColumn& p) {
    return p.estimate.time ? format_short_count(p.estimate.time->items_per_second) + " " +
                                 p.estimate.item + "s/s"
                           : "-";
  }));
  return table.text(0);
}

}  // namespace headroom::cli
