#include "core/ops/activation.h"

#include "core/describe/error.h"

namespace headroom::ops {
namespace {

struct Cost {
  double forward, backward;
};

Cost cost_per_element(ActivationKind kind) {
  switch (kind) {
    case ActivationKind::kRelu:
      return {1, 1};
    case ActivationKind::kGelu:
      return {8, 12};
    case ActivationKind::kGeluTanh:
      return {10, 18};
    case ActivationKind::kSilu:
      return {5, 9};
  }
  return {};
}

}  // namespace

OutputSpecs Activation::outputs(std::span<const TensorType> inputs) const {
  if (inputs.size() != 1) {
    throw ShapeError(shape_message(kName, "operands", std::to_string(inputs.size()), "x"));
  }
  return {{.type = inputs[0]}};
}

SavedOperands Activation::saved() const {
  if (kind_ == ActivationKind::kRelu) return {.inputs = {}, .outputs = {0}};
  return {.inputs = {0}, .outputs = {}};
}

Work Activation::forward_work(std::span<const TensorType> inputs) const {
  Work work{.read = inputs[0].bytes(), .written = inputs[0].bytes(), .compute = inputs[0].dtype};
  work.other_flops =
      Flops(cost_per_element(kind_).forward * static_cast<double>(inputs[0].shape.numel()));
  return work;
}

SmallList<Work, 3> Activation::backward_work(std::span<const TensorType> inputs,
                                             GradientMask) const {
  const Bytes size = inputs[0].bytes();
  Work work{.read = size + size, .written = size, .compute = inputs[0].dtype};
  work.other_flops =
      Flops(cost_per_element(kind_).backward * static_cast<double>(inputs[0].shape.numel()));
  return {work};
}

// The planner applies this only where nobody needs x any more, which is so for ReLU alone.
InPlaceRules Activation::forward_in_place() const { return {{.write = 0, .read = 0}}; }

// dx over dy, or over the saved x where there is one.
InPlaceRules Activation::backward_in_place(std::size_t inputs, std::size_t outputs) const {
  const int dy = static_cast<int>(inputs + outputs);
  return {{.write = 0, .read = dy}, {.write = 0, .read = 0}};
}

}  // namespace headroom::ops
