#include "cli/estimate_report.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/wrap.h"
#include "core/describe/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headroom::cli {
namespace {

using estimator::Estimate;
using Align = Table::Align;

constexpr int kIndent = 2;

std::string heading(const std::string& text) { return paint(text, Colour::kBold) + '\n'; }

std::string share(Bytes part, Bytes whole) {
  if (whole.value() == 0) return "";
  return format_percent(static_cast<double>(part.value()) / static_cast<double>(whole.value()));
}

std::string note(const std::string& text) { return wrap(text, "  - ", "    "); }

std::string title(const Estimate& e) {
  const Plan& plan = e.plan;
  return heading(fmt::format("{}: {}, {} framework, {}", model_type(plan.model),
                             format_counted(e.model.parameters, "parameter"), name(plan.framework),
                             e.hardware.display)) +
         fmt::format("  step = {}: micro batch {} x accumulation {}{}\n",
                     format_counted(static_cast<std::int64_t>(e.items_per_step), e.item),
                     plan.training.micro_batch_size, plan.training.gradient_accumulation_steps,
                     plan.parallel.data > 1 ? fmt::format(" x {} ranks", plan.parallel.data) : "");
}

std::string verdict_text(const Estimate& e) {
  const estimator::Verdict& verdict = e.verdict;
  if (!verdict.fits) return "";
  const std::string amount = format_bytes(Bytes(std::abs(verdict.headroom.value())));
  const std::string band =
      verdict.band.value() > 0 ? " (+/- " + format_bytes(verdict.band) + ")" : "";
  if (!*verdict.fits) {
    return "  " + paint("does not fit", Colour::kRed) + ": " + amount + " too much" + band + '\n';
  }
  if (verdict.headroom < verdict.band) {
    return "  " + paint("tight", Colour::kYellow) + ": " + amount + " of headroom" + band + '\n';
  }
  return "  " + paint("fits", Colour::kGreen) + ": " + amount + " of headroom" + band + '\n';
}

std::string suggestions_text(const Estimate& e) {
  if (e.verdict.suggestions.empty()) return "";
  std::string text = heading("what would help (each estimated)");
  Table table({Align::kLeft, Align::kRight, Align::kRight, Align::kLeft});
  for (const estimator::Suggestion& s : e.verdict.suggestions) {
    table.add({s.change, "saves " + format_bytes(s.saves),
               fmt::format("time x {:.2f}", s.step_time_ratio), s.fits ? "fits" : ""});
  }
  return text + table.text(kIndent);
}

std::string flops_text(const Estimate& e) {
  const estimator::FlopsCount& flops = e.flops;
  std::string text = heading("FLOPs of one step (multiply-add = 2)");
  Table table({Align::kLeft, Align::kRight});
  const Flops forward = flops.phase(Phase::kForward) + flops.phase(Phase::kLoss);
  table.add({"forward", format_flops(forward)});
  table.add({"backward", format_flops(flops.phase(Phase::kBackward))});
  table.add({"optimizer", format_flops(flops.phase(Phase::kOptimizer))});
  table.rule();
  table.add({"all", format_flops(flops.total())});
  text += table.text(kIndent);
  text += "  the rule of thumb 6 N P gives " + format_flops(e.flops_explained.six_n_p) +
          "; the difference:\n";
  for (const estimator::FlopsTerm& term : e.flops_explained.terms) {
    const std::string sign = term.flops.value() < 0 ? "-" : "+";
    text += wrap(sign + format_flops(Flops(std::abs(term.flops.value()))) + ": " + term.reason,
                 "    ", "      ");
  }
  // Next to published runs a small one says nothing.
  constexpr double kWorthComparing = 1e18;
  const Flops run = flops.total() * static_cast<double>(e.plan.parallel.data) * e.steps.value_or(1);
  if (run.value() >= kWorthComparing) text += "  the run: " + to_string(e.scale) + '\n';
  return text;
}

std::string range_text(const estimator::TimeRange& range) {
  return fmt::format("{} ({} to {})", format_seconds(range.typical), format_seconds(range.low),
                     format_seconds(range.high));
}

std::string time_text(const Estimate& e) {
  if (!e.time) return "";
  const estimator::StepTime& time = *e.time;
  std::string text = heading("time");
  Table table({Align::kLeft, Align::kLeft});
  table.add({"step", range_text(time.step) + ", bound by " + std::string(name(time.bound))});
  table.add({"speed", fmt::format("{} {}s/s", format_short_count(time.items_per_second), e.item)});
  if (time.mfu.peak.value() > 0) {
    table.add({"MFU",
               fmt::format("{} of {} ({}; {})", format_percent(time.mfu.value),
                           format_rate(time.mfu.peak), name(time.mfu.dtype), time.mfu.convention)});
  }
  if (e.steps) {
    table.add({"run", fmt::format("{}: {}", format_counted(std::llround(*e.steps), "step"),
                                  range_text(estimator::run_time(time.step, *e.steps)))});
  }
  if (e.cost && e.cost->run) {
    table.add({"cost", fmt::format("{} ({} to {}), {:.3g} GPU-hours",
                                   format_usd(e.cost->run->typical), format_usd(e.cost->run->low),
                                   format_usd(e.cost->run->high), e.cost->gpu_hours.typical)});
  }
  text += table.text(kIndent);
  const bool rented = e.hardware.kind == estimator::HardwareKind::kGpu;
  if (e.cost && rented) text += wrap(price_note(*e.cost, e.hardware), "  ", "  ");
  return text;
}

std::string timeline_text(const Estimate& e) {
  std::string text = heading("memory over one step");
  Table table({Align::kLeft, Align::kLeft, Align::kRight});
  for (const TimelinePoint& point : timeline(e.trace)) {
    table.add({std::string(name(point.phase)), std::string(point.op), format_bytes(point.total)});
  }
  text += table.text(kIndent) + heading("alive at the peak, largest first");
  Table alive({Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft});
  for (const TraceTensor& tensor : largest_alive(e)) {
    alive.add({to_string(tensor.name), format_bytes(tensor.payload),
               std::string(name(tensor.category)), std::string(name(tensor.dtype))});
  }
  return text + alive.text(kIndent);
}

std::string textbook_text(const Estimate& e) {
  const estimator::Textbook& book = e.textbook;
  return fmt::format("  textbook 4(P+A+G+O): {} + {} + {} + {} = {}\n",
                     format_bytes(book.parameters), format_bytes(book.activations),
                     format_bytes(book.gradients), format_bytes(book.optimizer_state),
                     format_bytes(book.total()));
}

}  // namespace

std::vector<TraceTensor> largest_alive(const Estimate& e) {
  constexpr std::size_t kShown = 15;
  std::vector<TraceTensor> tensors;
  for (std::int32_t index : alive_after(e.trace, e.device().usage.peak_event)) {
    const TraceTensor& tensor = e.trace.tensors[static_cast<std::size_t>(index)];
    if (tensor.place == Place::kDevice) tensors.push_back(tensor);
  }
  std::stable_sort(tensors.begin(), tensors.end(), [](const TraceTensor& a, const TraceTensor& b) {
    return a.payload > b.payload;
  });
  if (tensors.size() > kShown) tensors.resize(kShown);
  return tensors;
}

/// Whether gradients come and go during backward instead of piling up.
bool gradients_are_passing(const Estimate& e) {
  return e.plan.framework == Framework::kHeadroom && e.plan.training.optimizer_in_backward &&
         e.plan.training.grad_clip_norm == 0;
}

std::string memory_text(const Estimate& e) {
  const estimator::DeviceMemoryEstimate& device = e.device();
  std::string text = heading("memory of " + device.device + " at the peak (" +
                             std::string(name(device.usage.peak_phase)) + ", " +
                             std::string(device.usage.peak_op) + ")");
  Table table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
  const Bytes tensors = device.usage.tensors_peak;
  for (Category category : all_categories()) {
    const Bytes bytes = device.usage.at_peak[category];
    const bool marked = category == Category::kGradients && gradients_are_passing(e);
    if (bytes.value() == 0 && !marked) continue;
    table.add({std::string(name(category)) + (marked ? " *" : ""), format_bytes(bytes),
               format_count(bytes.value()), share(bytes, tensors)});
  }
  const auto total = [&](const char* label, Bytes bytes, const std::string& remark) {
    table.add({label, format_bytes(bytes), format_count(bytes.value()), remark});
  };
  table.rule();
  total("tensors", tensors, "");
  total("reserved", device.reserved, "");
  if (device.context.value() > 0) total("context", device.context, "");
  total("device", device.device_peak(), "");
  if (e.verdict.capacity) total("capacity", *e.verdict.capacity, "");
  text += table.text(kIndent);
  if (gradients_are_passing(e)) {
    text += wrap(
        "each gradient is freed as soon as its parameter is updated, so never all of them "
        "live at once (training.optimizer_in_backward)",
        "  * ", "    ");
  }
  text += verdict_text(e) + textbook_text(e);
  for (std::size_t d = 1; d < e.devices.size(); ++d) {
    text += fmt::format("  {} ({}): {}\n", e.devices[d].device, e.devices[d].role,
                        format_bytes(e.devices[d].reserved));
  }
  return text;
}

std::string estimate_text(const Estimate& e, const ReportOptions& options) {
  std::string text = title(e) + memory_text(e) + suggestions_text(e) + flops_text(e) + time_text(e);
  if (options.timeline) text += timeline_text(e);
  for (const std::string& warning : e.warnings) {
    text += wrap(paint("warning", Colour::kYellow) + ": " + warning, "", "  ");
  }
  text += heading("assumptions");
  for (const std::string& line : e.assumptions) text += note(line);
  return text;
}

}  // namespace headroom::cli
