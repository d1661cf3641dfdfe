#include "core/models/build.h"

#include <variant>

namespace headroom::models {
namespace {

template <class... Bodies>
struct Overloads : Bodies... {
  using Bodies::operator()...;
};

}  // namespace

Graph build_graph(const Plan& plan, DType compute) {
  return std::visit(
      Overloads{
          [&](const CruncherPlan& model) { return build_cruncher(model, plan, compute); },
          [&](const MlpPlan& model) { return build_mlp(model, plan, compute); },
      },
      plan.model.family);
}

}  // namespace headroom::models
