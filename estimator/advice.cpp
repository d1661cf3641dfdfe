#include "estimator/estimate.h"

#include <algorithm>
#include <functional>

namespace headroom::estimator {
namespace {

struct Change {
  std::string words;  ///< as a command-line override
  std::string effect;
  std::function<void(Plan&)> apply;
};

/// Every single change worth trying on this plan.
std::vector<Change> candidate_changes(const Plan& plan) {
  std::vector<Change> changes;
  const TrainingPlan& training = plan.training;
  for (std::int64_t divisor = 2; divisor <= training.micro_batch_size; divisor *= 2) {
    if (training.micro_batch_size % divisor != 0) break;
    const std::int64_t micro = training.micro_batch_size / divisor;
    const std::int64_t accumulation = training.gradient_accumulation_steps * divisor;
    changes.push_back(
        {"training.micro_batch_size=" + std::to_string(micro) +
             " training.gradient_accumulation_steps=" + std::to_string(accumulation),
         "same batch per step, computed in " + std::to_string(accumulation) + " parts",
         [micro, accumulation](Plan& p) {
           p.training.micro_batch_size = micro;
           p.training.gradient_accumulation_steps = accumulation;
         }});
  }
  if (!training.optimizer_in_backward && training.grad_clip_norm <= 0) {
    changes.push_back({"training.optimizer_in_backward=true",
                       "gradients are freed one by one; the same bits",
                       [](Plan& p) { p.training.optimizer_in_backward = true; }});
  }
  const OptimizerKind optimizer = training.optimizer.name;
  if (optimizer == OptimizerKind::kAdam || optimizer == OptimizerKind::kAdamw) {
    changes.push_back({"training.optimizer.name=rmsprop",
                       "one optimizer state per parameter instead of two; needs its own tuning",
                       [](Plan& p) {
                         p.training.optimizer = {.name = OptimizerKind::kRmsprop,
                                                 .lr = p.training.optimizer.lr,
                                                 .weight_decay = p.training.optimizer.weight_decay,
                                                 .alpha = 0.99,
                                                 .eps = 1e-8};
                       }});
  }
  const bool keeps_state = optimizer != OptimizerKind::kSgd || training.optimizer.momentum != 0;
  if (keeps_state) {
    changes.push_back({"training.optimizer.name=sgd",
                       "no optimizer state at all; needs its own learning rate", [](Plan& p) {
                         p.training.optimizer = {.name = OptimizerKind::kSgd,
                                                 .lr = p.training.optimizer.lr,
                                                 .weight_decay = p.training.optimizer.weight_decay};
                       }});
  }
  return changes;
}

double seconds_per_item(const Estimate& estimate) {
  return estimate.time ? estimate.time->step.typical.value() / estimate.items_per_step : 0;
}

}  // namespace

std::vector<Suggestion> suggest(const Estimate& base) {
  std::vector<Suggestion> suggestions;
  for (const Change& change : candidate_changes(base.plan)) {
    Plan plan = base.plan;
    change.apply(plan);
    const Estimate changed = estimate(plan, base.hardware, {.suggestions = false});
    const Bytes saves = base.device().device_peak() - changed.device().device_peak();
    if (saves.value() <= 0) continue;
    const double before = seconds_per_item(base);
    suggestions.push_back({.change = change.words,
                           .effect = change.effect,
                           .saves = saves,
                           .step_time_ratio = before > 0 ? seconds_per_item(changed) / before : 1,
                           .fits = changed.verdict.fits.value_or(false)});
  }
  std::stable_sort(suggestions.begin(), suggestions.end(),
                   [](const Suggestion& a, const Suggestion& b) {
                     if (a.fits != b.fits) return a.fits;
                     if (a.fits) return a.step_time_ratio < b.step_time_ratio;
                     return a.saves > b.saves;
                   });
  constexpr std::size_t kShown = 5;
  if (suggestions.size() > kShown) suggestions.resize(kShown);
  return suggestions;
}

}  // namespace headroom::estimator
