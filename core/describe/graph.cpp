#include "core/describe/graph.h"

#include "core/describe/error.h"

namespace headroom {

TensorId Graph::add(TensorInfo info) {
  (void)info.type.bytes();  // refuses sizes that overflow before anything is built on them
  tensors_.push_back(info);
  roles_.push_back(StreamRole::kNone);
  return TensorId{static_cast<std::int32_t>(tensors_.size() - 1)};
}

TensorId Graph::parameter(TensorName name, TensorType type, Initializer initializer) {
  const TensorId id = add({.name = name,
                           .type = type,
                           .category = Category::kParameters,
                           .lifetime = Lifetime::kRun,
                           .initializer = initializer});
  parameters_.push_back(id);
  return id;
}

TensorId Graph::input(TensorName name, TensorType type) {
  const TensorId id =
      add({.name = name, .type = type, .category = Category::kInputs, .lifetime = Lifetime::kRun});
  inputs_.push_back(id);
  return id;
}

SmallList<TensorId, kMaxOperands> Graph::apply(const Op& op,
                                               std::initializer_list<TensorId> inputs,
                                               TensorName name,
                                               Category category,
                                               Phase phase) {
  ForwardCall call{.op = &op, .inputs = inputs, .phase = phase};
  const TensorTypes types = input_types(call);
  const OutputSpecs specs = op.outputs({types.data(), types.size()});
  for (std::size_t i = 0; i < specs.size(); ++i) {
    TensorName output = name;
    if (specs[i].statistic) output.suffix = "statistic";
    call.outputs.push_back(
        add({.name = output,
             .type = specs[i].type,
             .category = specs[i].statistic ? Category::kActivations : category}));
  }
  calls_.push_back(call);
  return call.outputs;
}

void Graph::mark_stream(TensorId id, StreamRole role) {
  if (begins_block(role)) ++block_inputs_;
  roles_[id.at()] = role;
}

std::int64_t Graph::parameter_count() const {
  std::int64_t count = 0;
  for (TensorId id : parameters_) {
    if (__builtin_add_overflow(count, tensor(id).type.shape.numel(), &count)) {
      throw ShapeError("the model has more than 2^63 - 1 parameters");
    }
  }
  return count;
}

TensorTypes Graph::input_types(const ForwardCall& call) const {
  TensorTypes types;
  for (TensorId id : call.inputs) types.push_back(tensor(id).type);
  return types;
}

}  // namespace headroom
