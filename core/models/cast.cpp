#include "core/models/cast.h"

#include "core/ops/cast.h"

namespace headroom::models {

TensorId cast(Graph& graph, TensorId x, DType to) {
  const TensorInfo info = graph.tensor(x);
  if (info.type.dtype == to) return x;
  TensorName name = info.name;
  name.suffix = headroom::name(to);
  const Category category =
      info.category == Category::kLogits ? Category::kLogits : Category::kActivations;
  return graph.apply(graph.own(std::make_unique<ops::Cast>(to)), {x}, name, category)[0];
}

}  // namespace headroom::models
