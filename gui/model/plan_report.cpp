#include "gui/model/plan_report.h"

#include "core/describe/format.h"
#include "gui/model/text.h"

namespace headroom::gui {

PlanReport plan_report(const estimator::Estimate& estimate) {
  const Plan& plan = estimate.plan;
  PlanReport report;
  report.title =
      QStringLiteral("%1, %2 parameters")
          .arg(words(model_type(plan.model)), to_qt(format_count(estimate.model.parameters)));
  report.subtitle =
      QStringLiteral("%1, %2, micro batch %3 on %4")
          .arg(to_qt(name(plan.training.optimizer.name)), to_qt(name(plan.training.precision)),
               to_qt(format_count(plan.training.micro_batch_size)),
               to_qt(estimate.hardware.display));
  if (plan.hardware.count > 1) {
    report.subtitle += QStringLiteral(" \u00d7 %1").arg(plan.hardware.count);
  }
  report.verdict = verdict_report(estimate);
  report.bar = bar_report(estimate);
  report.memory = memory_table(estimate);
  report.facts = facts_table(estimate);
  report.timeline = timeline_report(estimate);
  for (const std::string& line : estimate.warnings) report.notes << "Warning: " + to_qt(line);
  for (const std::string& line : estimate.assumptions) report.notes << to_qt(line);
  return report;
}

}  // namespace headroom::gui
