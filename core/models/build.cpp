#include "core/models/build.h"

#include "core/describe/error.h"

#include <string>
#include <variant>

namespace headroom::models {
namespace {

template <class... Bodies>
struct Overloads : Bodies... {
  using Bodies::operator()...;
};

}  // namespace

ComputeTypes compute_types(Precision precision) {
  switch (precision) {
    case Precision::kF32:
      return {};
    case Precision::kBf16Mixed:
      return {DType::kBf16, DType::kF32};
    case Precision::kBf16True:
      return DType::kBf16;
    case Precision::kFp16Mixed:
      return {DType::kF16, DType::kF32};
    case Precision::kTf32:
    case Precision::kFp8Mixed:
      break;
  }
  throw Error("the engine of this version does not compute in " + std::string(name(precision)));
}

Graph build_graph(const Plan& plan, const ComputeTypes& types) {
  return std::visit(
      Overloads{
          [&](const CruncherPlan& model) { return build_cruncher(model, plan, types); },
          [&](const MlpPlan& model) { return build_mlp(model, plan, types); },
          [&](const TransformerPlan& model) { return build_transformer(model, plan, types); },
      },
      plan.model.family);
}

}  // namespace headroom::models
