#include "trainer/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headroom::trainer {
namespace {

/// Share of the run that the tail of a warm-up / stable / decay schedule takes.
constexpr double kDecayShare = 0.2;

/// How far `step` has come from just after `begin` (0) to `end` (1).
double progress(double step, double begin, double end) {
  if (end <= begin) return 1;
  return std::clamp((step - begin) / (end - begin), 0.0, 1.0);
}

}  // namespace

double learning_rate(const TrainingPlan& plan, std::int64_t step, std::int64_t total) {
  const double full = plan.optimizer.lr;
  const double floor = plan.lr_schedule.min_lr;
  const auto now = static_cast<double>(step);
  const auto warmup = static_cast<double>(plan.lr_schedule.warmup_steps);
  const auto end = static_cast<double>(total);
  if (now <= warmup) return full * now / warmup;
  switch (plan.lr_schedule.name) {
    case LrSchedule::kConstant:
      return full;
    case LrSchedule::kLinear:
      return floor + (full - floor) * (1 - progress(now, warmup, end));
    case LrSchedule::kCosine:
      return floor +
             (full - floor) * 0.5 * (1 + std::cos(std::numbers::pi * progress(now, warmup, end)));
    case LrSchedule::kWsd: {
      const double begin = std::max(warmup, end * (1 - kDecayShare));
      return floor + (full - floor) * (1 - std::sqrt(progress(now, begin, end)));
    }
  }
  return full;
}

}  // namespace headroom::trainer
