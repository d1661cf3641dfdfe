#pragma once

#include "core/ops/elementwise.h"
#include "core/ops/reduce.h"
#include "core/optim/rules.h"
#include "tests/support/step_runner.h"

#include <string>
#include <vector>

namespace headroom::test {

/// A step with the parameters p0, p1, ... of these sizes and the loss sum(p0 * g0) + sum(p1 * g1),
/// where the g are batch tensors: the gradients are exactly what the batch says.
[[nodiscard]] inline Step prescribed_gradients(std::unique_ptr<UpdateRule> rule,
                                               DType dtype,
                                               const std::vector<std::int64_t>& sizes,
                                               const StepOptions& options = {.input_slots = 1}) {
  Graph graph;
  const auto& mul = graph.own(std::make_unique<ops::Mul>());
  const auto& add = graph.own(std::make_unique<ops::Add>());
  const auto& sum = graph.own(std::make_unique<ops::Reduce>("n ->", ops::Reduction::kSum));
  TensorId loss;
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    const auto index = static_cast<std::int32_t>(p);
    const TensorType type{{{"n", sizes[p]}}, dtype};
    const TensorId parameter =
        graph.parameter({.stem = "p", .index = index}, type, Initializer::zeros());
    const TensorId gradient = graph.input({.stem = "g", .index = index}, type);
    const TensorId product =
        graph.apply(mul, {parameter, gradient}, {.stem = "product", .index = index})[0];
    const Phase phase = sizes.size() == 1 ? Phase::kLoss : Phase::kForward;
    const TensorId term = graph.apply(sum, {product}, {.stem = "term", .index = index},
                                      Category::kTemporaries, phase)[0];
    loss = p == 0 ? term
                  : graph.apply(add, {loss, term}, {.stem = "loss"}, Category::kTemporaries,
                                Phase::kLoss)[0];
  }
  graph.set_loss(loss);
  return make_step(std::move(graph), std::move(rule), options);
}

}  // namespace headroom::test
