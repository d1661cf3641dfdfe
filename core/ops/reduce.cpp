#include "core/ops/reduce.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

namespace headroom::ops {

std::string_view name(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      return "sum";
    case Reduction::kMean:
      return "mean";
    case Reduction::kMax:
      return "max";
  }
  return "";
}

Reduce::Reduce(std::string_view pattern, Reduction reduction)
    : pattern_(parse_pattern(kName, pattern)), reduction_(reduction) {
  if (pattern_.inputs.size() != 1) {
    throw ShapeError(shape_message(kName, "pattern", '"' + pattern_.text + '"', "one input"));
  }
}

OutputSpecs Reduce::outputs(std::span<const TensorType> inputs) const {
  const Pattern::Sizes sizes = pattern_.bind(kName, inputs);
  return {{.type = {pattern_.output_shape(sizes), inputs[0].dtype}}};
}

SavedOperands Reduce::saved() const {
  if (reduction_ == Reduction::kMax) return {.inputs = {0}, .outputs = {0}};
  return {};
}

Work Reduce::forward_work(std::span<const TensorType> inputs) const {
  const TensorType y = outputs(inputs)[0].type;
  const double n = static_cast<double>(inputs[0].shape.numel());
  const double m = static_cast<double>(y.shape.numel());
  Work work{.read = inputs[0].bytes(), .written = y.bytes(), .compute = y.dtype};
  work.other_flops = Flops(reduction_ == Reduction::kMean ? n : n - m);
  return work;
}

SmallList<Work, 3> Reduce::backward_work(std::span<const TensorType> inputs, GradientMask) const {
  const TensorType& x = inputs[0];
  const TensorType y = outputs(inputs)[0].type;
  const double n = static_cast<double>(x.shape.numel());
  Work work{.read = y.bytes(), .written = x.bytes(), .compute = x.dtype};
  switch (reduction_) {
    case Reduction::kSum:
      break;
    case Reduction::kMean:
      work.other_flops = Flops(n);
      break;
    case Reduction::kMax:
      // Compare and count, then compare again and divide.
      work.other_flops = Flops(4 * n);
      work.read += x.bytes() + y.bytes();
      break;
  }
  return {work};
}

// The maxima that share each result.
Bytes Reduce::backward_workspace(std::span<const TensorType> inputs, GradientMask) const {
  if (reduction_ != Reduction::kMax) return Bytes(0);
  const std::int64_t results = outputs(inputs)[0].type.shape.numel();
  return Bytes(checked_multiply(results, partial_element_size(inputs[0].dtype), "tie counts"));
}

// The gradient over x: ties are counted before the first element is overwritten.
InPlaceRules Reduce::backward_in_place(std::size_t, std::size_t) const {
  if (reduction_ != Reduction::kMax) return {};
  return {{.write = 0, .read = 0}};
}

SmallList<ReducedDim, Shape::kMaxRank> Reduce::dims(const TensorType& x) const {
  const Pattern::Sizes sizes = pattern_.bind(kName, {&x, 1});
  SmallList<ReducedDim, Shape::kMaxRank> dims;
  for (Pattern::Label label : pattern_.inputs[0]) {
    std::int64_t stride = ReducedDim::kReduced;
    std::int64_t next = 1;
    for (std::size_t d = pattern_.output.size(); d-- > 0;) {
      if (pattern_.output[d] == label) stride = next;
      next *= sizes[static_cast<std::size_t>(pattern_.output[d])];
    }
    dims.push_back({.size = sizes[static_cast<std::size_t>(label)], .result_stride = stride});
  }
  return dims;
}

}  // namespace headroom::ops
