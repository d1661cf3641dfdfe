#include "estimator/cost.h"

#include "core/describe/error.h"

namespace headroom::estimator {
namespace {

constexpr double kSecondsPerHour = 3600;

HoursRange hours(const TimeRange& time, double devices) {
  const double scale = devices / kSecondsPerHour;
  return {time.low.value() * scale, time.typical.value() * scale, time.high.value() * scale};
}

UsdRange charge(const HoursRange& hours, const Price& price) {
  return {price.low * hours.low, price.typical * hours.typical, price.high * hours.high};
}

}  // namespace

CostEstimate estimate_cost(const Hardware& hardware,
                           const TimeRange& step,
                           double steps,
                           double devices,
                           std::optional<Usd> plan_price) {
  if (!(devices >= 1)) {
    throw Error("cost: the number of devices must be at least 1", ExitCode::kUsage);
  }
  if (plan_price && !(*plan_price >= Usd(0))) {
    throw Error("cost: hardware.price_per_gpu_hour must not be negative", ExitCode::kUsage);
  }
  CostEstimate cost;
  cost.gpu_hours = hours(run_time(step, steps), devices);
  if (plan_price) {
    cost.price = Price{*plan_price, *plan_price, *plan_price, "", Standing::kPublished, "the plan"};
    cost.price_from_plan = true;
  } else {
    cost.price = hardware.price;
  }
  if (cost.price) {
    cost.per_step = charge(hours(step, devices), *cost.price);
    cost.run = charge(cost.gpu_hours, *cost.price);
  }
  return cost;
}

std::string price_note(const CostEstimate& cost, const Hardware& hardware) {
  if (!cost.price) {
    return "no price is known for " + hardware.name +
           "; set hardware.price_per_gpu_hour to see dollars";
  }
  if (cost.price_from_plan) return "price from the plan (hardware.price_per_gpu_hour)";
  std::string note = "price of " + cost.price->date;
  if (cost.price->standing != Standing::kPublished) {
    note += ", " + std::string(name(cost.price->standing));
  }
  return note + ": " + cost.price->source;
}

}  // namespace headroom::estimator
