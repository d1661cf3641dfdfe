#include "core/ops/dropout.h"

#include "core/describe/error.h"

namespace headroom::ops {

Dropout::Dropout(Options options) : options_(options) {
  if (!(options.p >= 0 && options.p < 1)) {
    throw Error("[dropout] the probability " + std::to_string(options.p) +
                " is outside [0, 1); 0 turns dropout off");
  }
}

std::uint32_t Dropout::threshold() const { return static_cast<std::uint32_t>(options_.p * 0x1p32); }

OutputSpecs Dropout::outputs(std::span<const TensorType> inputs) const {
  if (inputs.size() != (options_.residual ? 2U : 1U)) {
    throw ShapeError(shape_message(kName, "operands", std::to_string(inputs.size()),
                                   options_.residual ? "x, residual" : "x"));
  }
  const TensorType& x = inputs[kX];
  if (options_.residual) {
    const TensorType& residual = inputs[kResidual];
    if (!residual.shape.same_sizes(x.shape)) {
      throw ShapeError(shape_message(kName, "residual", to_string(residual.shape),
                                     to_string(x.shape) + " as x"));
    }
    if (residual.dtype != x.dtype) {
      throw ShapeError(shape_message(kName, "residual dtype",
                                     std::string(headroom::name(residual.dtype)),
                                     std::string(headroom::name(x.dtype)) + " as x"));
    }
  }
  return {{.type = x}};
}

Work Dropout::forward_work(std::span<const TensorType> inputs) const {
  const Bytes size = inputs[kX].bytes();
  Work work{
      .read = options_.residual ? 2 * size : size, .written = size, .compute = inputs[kX].dtype};
  const double per_element = options_.residual ? 3 : 2;
  work.other_flops = Flops(per_element * static_cast<double>(inputs[kX].shape.numel()));
  return work;
}

SmallList<Work, 3> Dropout::backward_work(std::span<const TensorType> inputs,
                                          GradientMask wanted) const {
  const Bytes size = inputs[kX].bytes();
  SmallList<Work, 3> list;
  for (const std::size_t i : {std::size_t{kX}, std::size_t{kResidual}}) {
    if (!wants(wanted, i)) continue;
    Work work{.read = size, .written = size, .compute = inputs[kX].dtype};
    if (i == kX) work.other_flops = Flops(2.0 * static_cast<double>(inputs[kX].shape.numel()));
    list.push_back(work);
  }
  return list;
}

InPlaceRules Dropout::forward_in_place() const {
  if (options_.residual) return {{.write = 0, .read = kResidual}};
  return {{.write = 0, .read = kX}};
}

// The residual's gradient is that of y, so taking it over leaves nothing to do.
InPlaceRules Dropout::backward_in_place(std::size_t inputs, std::size_t outputs) const {
  const int dy = static_cast<int>(inputs + outputs);
  if (!options_.residual) return {{.write = kX, .read = dy}};
  return {{.write = kResidual, .read = dy}, {.write = kX, .read = dy}};
}

}  // namespace headroom::ops
