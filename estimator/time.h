#pragma once

#include "core/describe/category.h"
#include "core/describe/units.h"
#include "core/describe/work.h"
#include "estimator/hardware.h"
#include "estimator/matmul_rate.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::estimator {

/// A prediction and the range it lies in.
struct TimeRange {
  Seconds low, typical, high;
  TimeRange& operator+=(const TimeRange& other) {
    low += other.low, typical += other.typical, high += other.high;
    return *this;
  }
  friend TimeRange operator*(TimeRange range, double k) {
    return {range.low * k, range.typical * k, range.high * k};
  }
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// What keeps an op, a phase or a step from being faster.
enum class Bound : std::uint8_t { kCompute, kMemory, kLaunch, kHostTransfer };
inline constexpr std::size_t kBoundCount = 4;
/// `compute`, `memory`, `launch`, `host_transfer`.
[[nodiscard]] std::string_view name(Bound bound);

/// One line of the work list, timed. Parts are the typical case of one call.
struct ItemTime {
  std::string_view op;
  Phase phase = Phase::kForward;
  std::int64_t repeat = 1;
  Seconds compute;  ///< matrix products and arithmetic
  Seconds memory;   ///< bytes over achieved bandwidth
  Seconds launch;   ///< start of the kernel
  TimeRange total;  ///< all repeats: max(compute, memory) + launch
  Bound bound = Bound::kCompute;
};

struct PhaseTime {
  TimeRange total;
  Bound bound = Bound::kCompute;
  /// Part of `total` spent waiting for the host to issue launches, beyond the ops' own time.
  Seconds launch_wait;
};

/// Batches copied from host to device.
struct HostTransfer {
  Bytes bytes_per_micro_step;
  std::int64_t micro_steps = 1;
  bool pinned = true;      ///< page-locked host memory: faster, and may overlap
  bool overlapped = true;  ///< copied while the step before computes; only with pinned memory
};

struct TimeOptions {
  /// Bytes really moved over the bytes the ops declare: 1 for this engine, 1.84 to 2.28 for eager
  /// PyTorch, which makes extra copies.
  double memory_traffic_factor = 1;
  std::optional<HostTransfer> host_transfer;
  double items_per_step = 0;  ///< tokens or samples of one device's step
  /// FLOPs that MFU counts; unset: the matrix products of the list.
  std::optional<Flops> model_flops;
  std::string_view convention;  ///< how `model_flops` was counted
  bool keep_items = true;       ///< fill StepTime::items
};

/// Share of a peak. `low` belongs to the slow end of the time range.
struct Utilisation {
  double low = 0, value = 0, high = 0;
  DType dtype = DType::kF32;  ///< whose peak; the dtype of most matrix-product FLOPs
  FlopsPerSecond peak;        ///< 0 when unknown, and then the shares are 0
  std::string_view convention;
};

struct StepTime {
  std::vector<ItemTime> items;
  std::array<PhaseTime, kPhaseCount> phases;
  TimeRange host_transfer;                    ///< what is not hidden behind computing
  TimeRange step;                             ///< all phases and host_transfer
  Bound bound = Bound::kCompute;              ///< the largest part of the step
  std::array<Seconds, kBoundCount> by_bound;  ///< typical seconds by what bounds them
  Utilisation mfu;                            ///< model FLOPs
  Utilisation hfu;                            ///< matrix products done, recomputation included
  double items_per_second_low = 0, items_per_second = 0, items_per_second_high = 0;

  [[nodiscard]] const PhaseTime& phase(Phase p) const {
    return phases[static_cast<std::size_t>(p)];
  }
};

/// Times work on one device by a roofline per op: max(matrix product, bytes / bandwidth) + launch.
/// Built once per device; asking is cheap. Threads: reentrant.
class TimeModel {
 public:
  explicit TimeModel(const Hardware& hardware);

  /// Errors: ConfigError when the list multiplies in a dtype the device has no rate for.
  [[nodiscard]] StepTime step(const WorkList& work, const TimeOptions& options = {}) const;
  [[nodiscard]] ItemTime item(const WorkItem& item, double memory_traffic_factor = 1) const;
  /// What the figures rest on, one sentence each, for the dtypes of `work`.
  [[nodiscard]] std::vector<std::string> assumptions(const WorkList& work,
                                                     const TimeOptions& options = {}) const;

 private:
  struct CaseRates {
    double bandwidth = 0, vector = 0;  // per second; vector 0: unknown
    double gap = 0, interval = 0;      // seconds
    double pinned = 0, pageable = 0;   // bytes per second; 0: no link
  };
  [[nodiscard]] const MatmulRates& rates(DType dtype) const;
  void require_rates(const WorkList& work) const;
  [[nodiscard]] TimeRange transfer(const HostTransfer& host, const TimeRange& compute) const;

  Hardware hardware_;
  std::array<CaseRates, kCaseCount> cases_;
  std::array<std::optional<MatmulRates>, 10> matmul_;
};

/// `steps` equal steps.
[[nodiscard]] inline TimeRange run_time(const TimeRange& step, double steps) {
  return step * steps;
}

/// model FLOPs / (time x peak x devices).
[[nodiscard]] double utilisation(Flops model,
                                 Seconds time,
                                 FlopsPerSecond peak,
                                 double devices = 1);

}  // namespace headroom::estimator
