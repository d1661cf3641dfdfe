#pragma once

#include "core/describe/units.h"
#include "estimator/figure.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::estimator {

/// A training run whose size is known, to compare others with. 0 where nothing was published.
struct ReferenceRun {
  std::string_view name;
  int year = 0;
  Flops flops;
  Standing standing = Standing::kPublished;  ///< of `flops`; kDerived: 6 x parameters x tokens
  double parameters = 0;                     ///< those active for each token
  double tokens = 0;
  double gpu_hours = 0;
  std::string_view gpu;  ///< a name of configs/hardware; empty when unknown
  std::string_view source;
};
/// Smallest first.
[[nodiscard]] std::span<const ReferenceRun> reference_runs();

/// A rule that names an amount of training compute.
struct ReportingThreshold {
  std::string_view name;
  Flops flops;
  bool in_force = true;
  std::string_view note;
  std::string_view source;
};
/// Smallest first. Not legal advice: amounts only.
[[nodiscard]] std::span<const ReportingThreshold> reporting_thresholds();

/// Where a run stands among the known ones.
struct RunScale {
  const ReferenceRun* nearest = nullptr;  ///< on a logarithmic scale
  double ratio = 0;                       ///< this run over the nearest
  std::vector<const ReportingThreshold*> reached;
};
[[nodiscard]] RunScale compare_run(Flops run);
/// `0.4% of GPT-3 (3.14e+23 FLOPs); below every reporting threshold`.
[[nodiscard]] std::string to_string(const RunScale& scale);

}  // namespace headroom::estimator
