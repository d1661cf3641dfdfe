#include "core/ops/einsum.h"

#include "core/describe/error.h"

#include <algorithm>

namespace headroom::ops {
namespace {

Bytes workspace_of(const EinsumPlan& plan, DType dtype) {
  return Bytes(checked_multiply(plan.workspace_elements, size_of(dtype), "einsum workspace"));
}

/// What is moved: operands and result once, and whatever goes through the workspace twice.
Work work_of(const EinsumShape& shape, DType dtype) {
  const EinsumPlan plan = plan_einsum(shape);
  const std::int64_t element = size_of(dtype);
  std::int64_t through = 0;
  for (const EinsumPreparation& prepared : plan.prepared) through += prepared.elements;
  const std::int64_t result = shape.elements(shape.output);
  if (plan.through_scratch) through += plan.workspace_elements - plan.scratch_offset;
  std::int64_t operands = 0;
  for (const Pattern::Labels& input : shape.inputs) operands += shape.elements(input);
  Work work{.read = Bytes((operands + through) * element),
            .written = Bytes((result + through) * element),
            .compute = dtype};
  work.matmul_flops = plan.matmul_flops;
  work.other_flops = plan.other_flops;
  if (plan.kind == EinsumPlan::Kind::kMatmul) {
    work.matmul = plan.matmul.size;
    work.matmul.batch *= plan.matmul.loop.count();
  }
  return work;
}

}  // namespace

OutputSpecs Einsum::outputs(std::span<const TensorType> inputs) const {
  const Pattern::Sizes sizes = pattern_.bind(kName, inputs);
  for (const TensorType& input : inputs) {
    if (input.dtype != inputs[0].dtype) {
      throw ShapeError(
          shape_message(kName, "dtype of input 2", std::string(headroom::name(input.dtype)),
                        std::string(headroom::name(inputs[0].dtype)) + " as in input 1"));
    }
  }
  return {{.type = {pattern_.output_shape(sizes), inputs[0].dtype}}};
}

SavedOperands Einsum::saved() const {
  if (pattern_.inputs.size() == 1) return {};
  return {.inputs = {0, 1}, .outputs = {}};
}

EinsumShape Einsum::forward_shape(std::span<const TensorType> inputs) const {
  return {
      .inputs = pattern_.inputs, .output = pattern_.output, .sizes = pattern_.bind(kName, inputs)};
}

EinsumShape Einsum::gradient_shape(std::span<const TensorType> inputs, std::size_t i) const {
  EinsumShape shape{.inputs = {pattern_.output},
                    .output = pattern_.inputs[i],
                    .sizes = pattern_.bind(kName, inputs)};
  if (pattern_.inputs.size() == 2) shape.inputs.push_back(pattern_.inputs[1 - i]);
  return shape;
}

Work Einsum::forward_work(std::span<const TensorType> inputs) const {
  return work_of(forward_shape(inputs), inputs[0].dtype);
}

SmallList<Work, 3> Einsum::backward_work(std::span<const TensorType> inputs,
                                         GradientMask wanted) const {
  SmallList<Work, 3> list;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (wants(wanted, i)) list.push_back(work_of(gradient_shape(inputs, i), inputs[0].dtype));
  }
  return list;
}

Bytes Einsum::forward_workspace(std::span<const TensorType> inputs) const {
  return workspace_of(plan_einsum(forward_shape(inputs)), inputs[0].dtype);
}

// The gradients are computed one after the other.
Bytes Einsum::backward_workspace(std::span<const TensorType> inputs, GradientMask wanted) const {
  Bytes bytes(0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!wants(wanted, i)) continue;
    bytes = std::max(bytes, workspace_of(plan_einsum(gradient_shape(inputs, i)), inputs[0].dtype));
  }
  return bytes;
}

}  // namespace headroom::ops
