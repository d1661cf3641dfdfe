#include "core/ops/cross_entropy.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

namespace headroom::ops {
namespace {

TensorType log_sum_exp_type(const TensorType& logits) {
  Shape rows;
  for (std::size_t i = 0; i + 1 < logits.shape.rank(); ++i) rows.append(logits.shape[i]);
  return {rows, sum_dtype(logits.dtype)};
}

}  // namespace

OutputSpecs CrossEntropy::outputs(std::span<const TensorType> inputs) const {
  if (inputs.size() != 2) {
    throw ShapeError(
        shape_message(kName, "operands", std::to_string(inputs.size()), "logits, target"));
  }
  const TensorType& logits = inputs[kLogits];
  const TensorType& target = inputs[kTarget];
  if (logits.shape.rank() == 0 || logits.shape.numel() == 0) {
    throw ShapeError(
        shape_message(kName, "logits", to_string(logits.shape), "at least one row and one class"));
  }
  const TensorType lse = log_sum_exp_type(logits);
  if (!target.shape.same_sizes(lse.shape)) {
    throw ShapeError(shape_message(kName, "target", to_string(target.shape),
                                   to_string(lse.shape) + ", one class per row of the logits"));
  }
  if (target.dtype != DType::kI32) {
    throw ShapeError(
        shape_message(kName, "target dtype", std::string(headroom::name(target.dtype)), "i32"));
  }
  return {{.type = {Shape{}, sum_dtype(logits.dtype)}}, {.type = lse, .statistic = true}};
}

SavedOperands CrossEntropy::saved() const {
  return {.inputs = {kLogits, kTarget}, .outputs = {kLogSumExp}};
}

Work CrossEntropy::forward_work(std::span<const TensorType> inputs) const {
  const TensorType& logits = inputs[kLogits];
  const TensorType lse = log_sum_exp_type(logits);
  Work work{.read = logits.bytes() + inputs[kTarget].bytes(),
            .written = lse.bytes() + Bytes(size_of(sum_dtype(logits.dtype))),
            .compute = logits.dtype};
  work.other_flops = Flops(4.0 * static_cast<double>(logits.shape.numel()) +
                           4.0 * static_cast<double>(lse.shape.numel()));
  return work;
}

SmallList<Work, 3> CrossEntropy::backward_work(std::span<const TensorType> inputs,
                                               GradientMask) const {
  const TensorType& logits = inputs[kLogits];
  Work work{.read = logits.bytes() + inputs[kTarget].bytes() + log_sum_exp_type(logits).bytes(),
            .written = logits.bytes(),
            .compute = logits.dtype};
  work.other_flops = Flops(4.0 * static_cast<double>(logits.shape.numel()));
  return {work};
}

Bytes CrossEntropy::forward_workspace(std::span<const TensorType> inputs) const {
  return column_sum_workspace(1, inputs[kLogits].dtype);
}

InPlaceRules CrossEntropy::backward_in_place(std::size_t, std::size_t) const {
  return {{.write = kLogits, .read = kLogits}};
}

}  // namespace headroom::ops
