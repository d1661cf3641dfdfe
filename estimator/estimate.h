#pragma once

#include "core/describe/plan.h"
#include "core/describe/trace.h"
#include "estimator/cost.h"
#include "estimator/flops.h"
#include "estimator/frameworks/lowering.h"
#include "estimator/hardware.h"
#include "estimator/reference_runs.h"
#include "estimator/time.h"

#include <optional>
#include <string>
#include <vector>

namespace headroom::estimator {

/// Memory of one device of the plan, or of the host memory pinned for it.
struct DeviceMemoryEstimate {
  std::string device;  ///< `gpu 0`, `cpu`, `host`
  std::string role;    ///< what it does in the plan: `worker`, `staging`
  PlaceUsage usage;
  Bytes reserved;  ///< what our allocator holds
  Bytes context;   ///< driver context and libraries, where the hardware file knows it
  Bytes context_low, context_high;
  [[nodiscard]] Bytes device_peak() const { return reserved + context; }
};

/// One change to the plan that was estimated in its turn.
struct Suggestion {
  std::string change;  ///< `training.micro_batch_size=32`
  std::string effect;  ///< in words
  Bytes saves;
  double step_time_ratio = 1;  ///< time per sample after / before
  bool fits = false;           ///< the changed plan fits
};

struct Verdict {
  /// Unset when the capacity of the device is unknown.
  std::optional<bool> fits;
  std::optional<Bytes> capacity;
  Bytes headroom;  ///< capacity - device peak; negative when it does not fit
  Bytes band;      ///< how far the device peak may be off, either way
  std::vector<Suggestion> suggestions;
};

struct ModelCount {
  std::int64_t parameters = 0;
  std::int64_t trainable = 0;
  std::int64_t non_embedding = 0;
};

/// Everything known about a plan before it runs.
struct Estimate {
  Plan plan;
  Hardware hardware;
  ModelCount model;
  std::vector<DeviceMemoryEstimate> devices;  ///< the first is the one the verdict is about
  Textbook textbook;
  Trace trace;
  WorkList work;
  FlopsCount flops;
  FlopsExplanation flops_explained;
  double items_per_step = 0;  ///< samples (or tokens) of one step, all devices
  std::string item;           ///< `sample` or `token`
  std::optional<double>
      steps;  ///< of the run; unset when the data set's size is needed and unknown
  RunScale scale;
  std::optional<StepTime> time;  ///< unset when the hardware has no rate for the plan's dtype
  std::optional<CostEstimate> cost;
  Verdict verdict;
  std::vector<std::string> assumptions, warnings;

  [[nodiscard]] const DeviceMemoryEstimate& device() const { return devices.front(); }
};

struct EstimateOptions {
  std::optional<std::int64_t> dataset_items;  ///< samples of the data set, for plans in epochs
  bool suggestions = true;                    ///< also look for changes that would fit
};

/// Memory, FLOPs, time, money and verdict of a plan on one kind of device.
/// Pure: reads nothing but its arguments. Errors: ConfigError, ShapeError.
[[nodiscard]] Estimate estimate(const Plan& plan,
                                const Hardware& hardware,
                                const EstimateOptions& options = {});

/// The traits of the device a plan asks for.
[[nodiscard]] DeviceTraits traits_of(const Hardware& hardware);

/// Single changes that save memory, the cheapest in time per sample first; those that make the
/// plan fit come before those that only help. Each was estimated.
[[nodiscard]] std::vector<Suggestion> suggest(const Estimate& base);

}  // namespace headroom::estimator
