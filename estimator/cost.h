#pragma once

#include "core/describe/units.h"
#include "estimator/hardware.h"
#include "estimator/time.h"

#include <optional>
#include <string>

namespace headroom::estimator {

/// Dollars. `low` is the short time at the low price, `high` the long time at the high price.
struct UsdRange {
  Usd low, typical, high;
};

struct HoursRange {
  double low = 0, typical = 0, high = 0;
};

struct CostEstimate {
  HoursRange gpu_hours;        ///< of the whole run, all devices
  std::optional<Price> price;  ///< what was charged; nothing when no price is known
  bool price_from_plan = false;
  std::optional<UsdRange> per_step, run;
};

/// Cost of `steps` equal steps on `devices` devices. A price of the plan replaces the file's whole
/// range.
/// Errors: Error when the plan's price is negative or the device count is below 1.
[[nodiscard]] CostEstimate estimate_cost(const Hardware& hardware,
                                         const TimeRange& step,
                                         double steps,
                                         double devices,
                                         std::optional<Usd> plan_price = std::nullopt);

/// Where the price is from and when, or that there is none and how to give one.
[[nodiscard]] std::string price_note(const CostEstimate& cost, const Hardware& hardware);

}  // namespace headroom::estimator
