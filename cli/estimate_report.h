#pragma once

#include "estimator/estimate.h"

#include <string>
#include <vector>

namespace headroom::cli {

struct ReportOptions {
  bool timeline = false;
};

/// An estimate as a page of text, at most 100 columns wide.
[[nodiscard]] std::string estimate_text(const estimator::Estimate& estimate,
                                        const ReportOptions& options);
/// The same as one JSON document with stable keys; bytes are integers.
[[nodiscard]] std::string estimate_json(const estimator::Estimate& estimate,
                                        const ReportOptions& options);

/// Only the memory table and the verdict: what a refused run is shown.
[[nodiscard]] std::string memory_text(const estimator::Estimate& estimate);

/// The largest tensors alive at the peak of the device, largest first.
[[nodiscard]] std::vector<TraceTensor> largest_alive(const estimator::Estimate& estimate);

}  // namespace headroom::cli
