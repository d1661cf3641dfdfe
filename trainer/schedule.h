#pragma once

#include "core/describe/plan.h"

#include <cstdint>

namespace headroom::trainer {

/// Learning rate of optimizer step `step`, counted from 1, of a run of `total` steps.
/// Warm-up rises linearly: step k of W has k/W of the full rate. After it:
///   constant  the full rate
///   linear    falls in a straight line to min_lr at the last step
///   cosine    falls along half a cosine to min_lr at the last step
///   wsd       the full rate, then over the last fifth falls as 1 - sqrt(progress) to min_lr
/// Source: cosine Loshchilov and Hutter 2017; WSD Hu et al. 2024 (MiniCPM), square-root tail as in
/// Haegele et al. 2024.
[[nodiscard]] double learning_rate(const TrainingPlan& plan, std::int64_t step, std::int64_t total);

}  // namespace headroom::trainer
