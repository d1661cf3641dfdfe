#include "core/ops/mse.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

namespace headroom::ops {

OutputSpecs MeanSquaredError::outputs(std::span<const TensorType> inputs) const {
  if (inputs.size() != 2 || inputs[kPrediction].shape.numel() != inputs[kTarget].shape.numel() ||
      inputs[kPrediction].dtype != inputs[kTarget].dtype) {
    throw ShapeError(shape_message(
        kName, "target", inputs.size() == 2 ? to_string(inputs[kTarget].shape) : "nothing",
        "as many elements as the prediction " + to_string(inputs[0].shape)));
  }
  return {{.type = {Shape{}, sum_dtype(inputs[kPrediction].dtype)}}};
}

SavedOperands MeanSquaredError::saved() const {
  return {.inputs = {kPrediction, kTarget}, .outputs = {}};
}

Work MeanSquaredError::forward_work(std::span<const TensorType> inputs) const {
  const TensorType& x = inputs[kPrediction];
  Work work{.read = x.bytes() + x.bytes(),
            .written = Bytes(size_of(sum_dtype(x.dtype))),
            .compute = x.dtype};
  work.other_flops = Flops(3.0 * static_cast<double>(x.shape.numel()));
  return work;
}

SmallList<Work, 3> MeanSquaredError::backward_work(std::span<const TensorType> inputs,
                                                   GradientMask) const {
  const TensorType& x = inputs[kPrediction];
  Work work{.read = x.bytes() + x.bytes(), .written = x.bytes(), .compute = x.dtype};
  work.other_flops = Flops(2.0 * static_cast<double>(x.shape.numel()));
  return {work};
}

Bytes MeanSquaredError::forward_workspace(std::span<const TensorType> inputs) const {
  return column_sum_workspace(1, inputs[kPrediction].dtype);
}

InPlaceRules MeanSquaredError::backward_in_place(std::size_t, std::size_t) const {
  return {{.write = kPrediction, .read = kPrediction}};
}

}  // namespace headroom::ops
