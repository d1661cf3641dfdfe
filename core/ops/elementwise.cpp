#include "core/ops/elementwise.h"

#include "core/describe/error.h"

namespace headroom::ops {
namespace {

OutputSpecs output_like(std::string_view op, std::span<const TensorType> inputs) {
  if (inputs.size() != 2) {
    throw ShapeError(shape_message(op, "operands", std::to_string(inputs.size()), "a, b"));
  }
  if (!inputs[0].shape.same_sizes(inputs[1].shape)) {
    throw ShapeError(shape_message(op, "b", to_string(inputs[1].shape),
                                   to_string(inputs[0].shape) + " as in a"));
  }
  if (inputs[0].dtype != inputs[1].dtype) {
    throw ShapeError(shape_message(op, "dtype of b", std::string(name(inputs[1].dtype)),
                                   std::string(name(inputs[0].dtype)) + " as in a"));
  }
  return {{.type = inputs[0]}};
}

Work pass_work(const TensorType& type, int reads, int writes, int flops) {
  Work work{.read = type.bytes() * reads, .written = type.bytes() * writes, .compute = type.dtype};
  work.other_flops = Flops(static_cast<double>(flops) * static_cast<double>(type.shape.numel()));
  return work;
}

int gradients(GradientMask wanted) {
  return (wants(wanted, 0) ? 1 : 0) + (wants(wanted, 1) ? 1 : 0);
}

}  // namespace

OutputSpecs Add::outputs(std::span<const TensorType> inputs) const {
  return output_like(kName, inputs);
}

Work Add::forward_work(std::span<const TensorType> inputs) const {
  return pass_work(inputs[0], 2, 1, 1);
}

SmallList<Work, 3> Add::backward_work(std::span<const TensorType> inputs,
                                      GradientMask wanted) const {
  return {pass_work(inputs[0], 1, gradients(wanted), 0)};
}

InPlaceRules Add::forward_in_place() const {
  return {{.write = 0, .read = 0}, {.write = 0, .read = 1}};
}

InPlaceRules Add::backward_in_place(std::size_t inputs, std::size_t outputs) const {
  const int dy = static_cast<int>(inputs + outputs);
  return {{.write = 0, .read = dy}, {.write = 1, .read = dy}};
}

OutputSpecs Mul::outputs(std::span<const TensorType> inputs) const {
  return output_like(kName, inputs);
}

Work Mul::forward_work(std::span<const TensorType> inputs) const {
  return pass_work(inputs[0], 2, 1, 1);
}

SmallList<Work, 3> Mul::backward_work(std::span<const TensorType> inputs,
                                      GradientMask wanted) const {
  const int count = gradients(wanted);
  return {pass_work(inputs[0], 1 + count, count, count)};
}

// The planner applies these only where backward does not read the input: never when it is kept.
InPlaceRules Mul::forward_in_place() const {
  return {{.write = 0, .read = 0}, {.write = 0, .read = 1}};
}

InPlaceRules Mul::backward_in_place(std::size_t inputs, std::size_t outputs) const {
  const int dy = static_cast<int>(inputs + outputs);
  return {{.write = 0, .read = dy},
          {.write = 1, .read = dy},
          {.write = 0, .read = 0},
          {.write = 1, .read = 1}};
}

}  // namespace headroom::ops
