#pragma once

#include "core/describe/plan.h"
#include "tests/support/reference.h"

namespace headroom::test {

/// The optimizer of a reference case (`optimizer`, `form`, `hyper`).
[[nodiscard]] inline OptimizerPlan optimizer_of(const nlohmann::json& node) {
  const auto& hyper = node.at("hyper");
  const auto value = [&](const char* key) { return hyper.value(key, 0.0); };
  return {.name = *from_name<OptimizerKind>(node.at("optimizer").get<std::string>()),
          .lr = value("lr"),
          .weight_decay = value("weight_decay"),
          .momentum = value("momentum"),
          .dampening = value("dampening"),
          .nesterov = hyper.value("nesterov", false),
          .alpha = value("alpha"),
          .centered = hyper.value("centered", false),
          .beta1 = value("beta1"),
          .beta2 = value("beta2"),
          .eps = value("eps"),
          .eps_inside_root = node.at("form") == "lecture"};
}

}  // namespace headroom::test
