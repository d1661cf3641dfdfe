#include "gui/model/facts_report.h"

#include "core/describe/format.h"
#include "gui/model/text.h"

#include <cmath>

namespace headroom::gui {
namespace {

using estimator::Estimate;
using Kind = TableRow::Kind;

const char* const kCounting =
    "A multiply-add counts as 2. Counted from the work of one step, op by op.";

class Facts {
 public:
  void heading(const QString& title) {
    table_.rows.push_back(
        {.cells = {title, {}, {}}, .kind = Kind::kHeading, .part = {}, .how = {}, .problem = {}});
  }
  void add(const QString& name,
           const QString& value,
           const QString& detail,
           Explanation how = {},
           Kind kind = Kind::kPlain) {
    if (how.title.isEmpty()) how.title = name;
    table_.rows.push_back({.cells = {name, value, detail},
                           .kind = kind,
                           .part = {},
                           .how = std::move(how),
                           .problem = {}});
  }
  [[nodiscard]] TableContent take() { return std::move(table_); }

 private:
  TableContent table_{.columns = {{"quantity"}, {"value", true}, {"detail"}}, .rows = {}};
};

QString flops(Flops value) { return to_qt(format_flops(value)); }
QString seconds(Seconds value) { return to_qt(format_seconds(value)); }
QString range(const estimator::TimeRange& time) {
  return seconds(time.low) + " to " + seconds(time.high);
}

QString batch_formula(const Estimate& e) {
  const Plan& plan = e.plan;
  QString text = QStringLiteral("micro batch %1 \u00d7 accumulation %2")
                     .arg(plan.training.micro_batch_size)
                     .arg(plan.training.gradient_accumulation_steps);
  if (plan.training.seq_len)
    text += QStringLiteral(" \u00d7 sequence %1").arg(*plan.training.seq_len);
  if (plan.parallel.data > 1) text += QStringLiteral(" \u00d7 %1 ranks").arg(plan.parallel.data);
  return text;
}

void add_size(const Estimate& e, Facts& facts) {
  facts.heading("Size");
  facts.add("parameters", to_qt(format_count(e.model.parameters)),
            to_qt(format_short_count(static_cast<double>(e.model.parameters))),
            {.title = {},
             .meaning = "Values that training changes, added up over all weights of the model.",
             .formula = {},
             .source = "See the parameters row of the memory table for the weights one by one."});
  const QString item = to_qt(e.item);
  facts.add(item + "s per step", to_qt(format_count(std::llround(e.items_per_step))),
            batch_formula(e));
}

void add_flops(const Estimate& e, Facts& facts) {
  facts.heading("FLOPs of one step, one device");
  const estimator::FlopsCount& count = e.flops;
  const auto by_op = [&](Phase phase, QStringList lines = {}) {
    for (const estimator::OpFlops& op : count.by_op) {
      if (op.phase != phase) continue;
      lines << QStringLiteral("%1: %2 calls, %3 in products + %4 other")
                   .arg(words(op.op), to_qt(format_count(op.calls)), flops(op.matmul),
                        flops(op.other));
    }
    return lines;
  };
  const Flops forward = count.phase(Phase::kForward) + count.phase(Phase::kLoss);
  facts.add("forward and loss", flops(forward), {},
            {.title = {},
             .meaning = {},
             .formula = by_op(Phase::kLoss, by_op(Phase::kForward)),
             .source = kCounting});
  facts.add("backward", flops(count.phase(Phase::kBackward)), {},
            {.title = {}, .meaning = {}, .formula = by_op(Phase::kBackward), .source = kCounting});
  facts.add("optimizer", flops(count.phase(Phase::kOptimizer)), {},
            {.title = {}, .meaning = {}, .formula = by_op(Phase::kOptimizer), .source = kCounting});
  facts.add("all", flops(count.total()), {},
            {.title = "all FLOPs of one step",
             .meaning = {},
             .formula = {QStringLiteral("%1 in matrix products + %2 other")
                             .arg(flops(count.matmul), flops(count.other))},
             .source = kCounting},
            Kind::kTotal);
  const estimator::FlopsExplanation& explained = e.flops_explained;
  QStringList lines{"6 N P = " + flops(explained.six_n_p)};
  for (const estimator::FlopsTerm& term : explained.terms) {
    lines << QStringLiteral("%1 %2: %3")
                 .arg(term.flops.value() < 0 ? "-" : "+",
                      flops(Flops(std::abs(term.flops.value()))), to_qt(term.reason));
  }
  lines << "= " + flops(explained.total);
  facts.add("6 N P", flops(explained.six_n_p), "rule of thumb",
            {.title = "6 N P, the rule of thumb",
             .meaning = "Two FLOPs forward and four backward per parameter and " + to_qt(e.item) +
                        "; the rest explains the difference to what was counted.",
             .formula = lines,
             .source = {}},
            Kind::kNote);
}

QString phases_line(const estimator::StepTime& time, Phase phase) {
  const estimator::PhaseTime& part = time.phase(phase);
  return QStringLiteral("%1: %2 (bound by %3)")
      .arg(words(name(phase)), seconds(part.total.typical), words(name(part.bound)));
}

void add_time(const Estimate& e, Facts& facts) {
  facts.heading("Time");
  if (!e.time) {
    facts.add("step", "unknown", "the hardware file has no rate for this precision");
    return;
  }
  const estimator::StepTime& time = *e.time;
  Explanation how{
      .title = "time of one step",
      .meaning =
          "Every op takes the longer of its arithmetic and its memory traffic, "
          "plus the start of its kernels.",
      .formula = {},
      .source = "Rates and ranges: the hardware file of " + to_qt(e.hardware.display) + "."};
  for (Phase phase : {Phase::kForward, Phase::kLoss, Phase::kBackward, Phase::kOptimizer}) {
    how.formula << phases_line(time, phase);
  }
  if (time.host_transfer.typical.value() > 0) {
    how.formula << "copies from the host: " + seconds(time.host_transfer.typical);
  }
  how.formula << "= " + seconds(time.step.typical);
  facts.add("step", seconds(time.step.typical),
            range(time.step) + ", bound by " + words(name(time.bound)), how, Kind::kTotal);
  facts.add("speed", to_qt(format_short_count(time.items_per_second)),
            to_qt(e.item) + "s per second",
            {.title = "speed",
             .meaning = {},
             .formula = {QStringLiteral("%1 %2s per step / %3")
                             .arg(to_qt(format_count(std::llround(e.items_per_step))),
                                  to_qt(e.item), seconds(time.step.typical))},
             .source = {}});
  if (time.mfu.peak.value() > 0) {
    facts.add("MFU", to_qt(format_percent(time.mfu.value)),
              "of " + to_qt(format_rate(time.mfu.peak)) + " " + to_qt(name(time.mfu.dtype)),
              {.title = "model FLOPs utilisation",
               .meaning = "The share of the dense peak that the model's own products reach.",
               .formula = {QStringLiteral("FLOPs / (%1 x %2) = %3")
                               .arg(seconds(time.step.typical), to_qt(format_rate(time.mfu.peak)),
                                    to_qt(format_percent(time.mfu.value)))},
               .source = "FLOPs: " + to_qt(time.mfu.convention) + "."});
  }
  if (e.steps) {
    const estimator::TimeRange run = estimator::run_time(time.step, *e.steps);
    facts.add("run", seconds(run.typical), range(run),
              {.title = "time of the run",
               .meaning = {},
               .formula = {QStringLiteral("%1 steps x %2 = %3")
                               .arg(to_qt(format_count(std::llround(*e.steps))),
                                    seconds(time.step.typical), seconds(run.typical))},
               .source = {}});
  }
}

void add_cost(const Estimate& e, Facts& facts) {
  if (!e.cost || !e.steps) return;
  const estimator::CostEstimate& cost = *e.cost;
  facts.heading("Cost of the run");
  const QString hours = QString::number(cost.gpu_hours.typical, 'g', 3);
  facts.add("device hours", hours,
            QStringLiteral("%1 to %2")
                .arg(cost.gpu_hours.low, 0, 'g', 3)
                .arg(cost.gpu_hours.high, 0, 'g', 3));
  const QString note = to_qt(price_note(cost, e.hardware));
  if (cost.run && cost.price) {
    facts.add("price", to_qt(format_usd(cost.run->typical)),
              to_qt(format_usd(cost.run->low)) + " to " + to_qt(format_usd(cost.run->high)),
              {.title = "price of the run",
               .meaning = {},
               .formula = {QStringLiteral("%1 hours x %2 = %3")
                               .arg(hours, to_qt(format_usd(cost.price->typical)),
                                    to_qt(format_usd(cost.run->typical)))},
               .source = note},
              Kind::kTotal);
  } else {
    facts.add("price", "unknown", note);
  }
}

void add_scale(const Estimate& e, Facts& facts) {
  if (!e.steps) return;
  constexpr double kPercent = 100;
  const QString scale = e.scale.nearest == nullptr ? QString()
                                                   : QStringLiteral("%1% of %2")
                                                         .arg(e.scale.ratio * kPercent, 0, 'g', 3)
                                                         .arg(to_qt(e.scale.nearest->name));
  facts.add("compute of the run",
            flops(e.flops.total() * static_cast<double>(e.plan.parallel.data) * *e.steps), scale,
            {.title = "compute of the run",
             .meaning = to_qt(to_string(e.scale)) + ".",
             .formula = {QStringLiteral("FLOPs of one step x %1 devices x %2 steps")
                             .arg(e.plan.parallel.data)
                             .arg(std::llround(*e.steps))},
             .source = kCounting});
}

}  // namespace

TableContent facts_table(const Estimate& estimate) {
  Facts facts;
  add_size(estimate, facts);
  add_flops(estimate, facts);
  add_scale(estimate, facts);
  add_time(estimate, facts);
  add_cost(estimate, facts);
  return facts.take();
}

TableContent suggestions_table(const std::vector<estimator::Suggestion>& suggestions) {
  TableContent table{.columns = {{"change"}, {"saves", true}, {"time", true}, {"fits"}},
                     .rows = {}};
  for (const estimator::Suggestion& s : suggestions) {
    table.rows.push_back(
        {.cells = {to_qt(s.change), to_qt(format_bytes(s.saves)),
                   QStringLiteral("\u00d7 %1").arg(s.step_time_ratio, 0, 'f', 2),
                   s.fits ? QStringLiteral("yes") : QStringLiteral("not alone")},
         .kind = Kind::kPlain,
         .part = {},
         .how = {.title = to_qt(s.change),
                 .meaning = to_qt(s.effect) + ".",
                 .formula = {"saves " + to_qt(format_count(s.saves.value())) + " B",
                             QStringLiteral("time per sample \u00d7 %1")
                                 .arg(s.step_time_ratio, 0, 'f', 3)},
                 .source = "The changed plan was estimated in its turn."},
         .problem = {}});
  }
  return table;
}

}  // namespace headroom::gui
