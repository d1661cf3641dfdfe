#include "core/ops/swiglu.h"

#include "core/describe/error.h"

namespace headroom::ops {

OutputSpecs SwiGlu::outputs(std::span<const TensorType> inputs) const {
  if (inputs.size() != 2) {
    throw ShapeError(shape_message(kName, "operands", std::to_string(inputs.size()), "gate, up"));
  }
  const TensorType& gate = inputs[kGate];
  const TensorType& up = inputs[kUp];
  if (!up.shape.same_sizes(gate.shape)) {
    throw ShapeError(
        shape_message(kName, "up", to_string(up.shape), to_string(gate.shape) + " as the gate"));
  }
  if (up.dtype != gate.dtype) {
    throw ShapeError(shape_message(kName, "up dtype", std::string(headroom::name(up.dtype)),
                                   std::string(headroom::name(gate.dtype)) + " as the gate"));
  }
  return {{.type = gate}};
}

SavedOperands SwiGlu::saved() const { return {.inputs = {kGate, kUp}, .outputs = {}}; }

Work SwiGlu::forward_work(std::span<const TensorType> inputs) const {
  const Bytes size = inputs[kGate].bytes();
  Work work{.read = size + size, .written = size, .compute = inputs[kGate].dtype};
  work.other_flops = Flops(6.0 * static_cast<double>(inputs[kGate].shape.numel()));
  return work;
}

SmallList<Work, 3> SwiGlu::backward_work(std::span<const TensorType> inputs,
                                         GradientMask wanted) const {
  const bool gate = wants(wanted, kGate);
  const bool up = wants(wanted, kUp);
  const Bytes size = inputs[kGate].bytes();
  Work work{.read = 3 * size, .written = gate && up ? 2 * size : size};
  work.compute = inputs[kGate].dtype;
  const double per_element = gate && up ? 12 : gate ? 10 : 6;
  work.other_flops = Flops(per_element * static_cast<double>(inputs[kGate].shape.numel()));
  return {work};
}

InPlaceRules SwiGlu::backward_in_place(std::size_t inputs, std::size_t outputs) const {
  const int dy = static_cast<int>(inputs + outputs);
  return {{.write = kGate, .read = kGate},
          {.write = kUp, .read = kUp},
          {.write = kGate, .read = dy},
          {.write = kUp, .read = dy}};
}

}  // namespace headroom::ops
