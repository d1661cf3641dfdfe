#include "core/ops/linear.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

#include <algorithm>

namespace headroom::ops {

Linear::Size Linear::size(const TensorType& x, const TensorType& weight) const {
  const bool in_out = options_.layout == WeightLayout::kInOut;
  return {.rows = x.shape.rows(),
          .in = weight.shape[in_out ? 0 : 1].size,
          .out = weight.shape[in_out ? 1 : 0].size};
}

OutputSpecs Linear::outputs(std::span<const TensorType> inputs) const {
  const TensorType& x = inputs[kX];
  const TensorType& weight = inputs[kWeight];
  if (inputs.size() != (options_.bias ? 3U : 2U)) {
    throw ShapeError(shape_message(kName, "operands", std::to_string(inputs.size()),
                                   options_.bias ? "x, weight, bias" : "x, weight"));
  }
  if (weight.shape.rank() != 2 || x.shape.rank() == 0) {
    throw ShapeError(shape_message(kName, "weight", to_string(weight.shape), "two dimensions"));
  }
  const Size s = size(x, weight);
  if (x.shape.back().size != s.in) {
    throw ShapeError(shape_message(kName, "last dimension of x", to_string(x.shape),
                                   std::to_string(s.in) + " as in the weight"));
  }
  if (options_.bias && inputs[kBias].shape.numel() != s.out) {
    throw ShapeError(shape_message(kName, "bias", to_string(inputs[kBias].shape),
                                   std::to_string(s.out) + " elements"));
  }
  if (options_.squeeze && s.out != 1) {
    throw ShapeError(shape_message(kName, "output features", std::to_string(s.out),
                                   "1, to drop the last dimension"));
  }
  Shape y;
  for (std::size_t i = 0; i + 1 < x.shape.rank(); ++i) y.append(x.shape[i]);
  const bool in_out = options_.layout == WeightLayout::kInOut;
  if (!options_.squeeze) y.append(weight.shape[in_out ? 1 : 0]);
  return {{.type = {y, x.dtype}}};
}

SavedOperands Linear::saved() const { return {.inputs = {kX, kWeight}, .outputs = {}}; }

namespace {

Work product_work(MatmulSize size, Bytes read, Bytes written, DType dtype) {
  return {.matmul = size,
          .matmul_flops = size.flops(),
          .other_flops = Flops(0),
          .read = read,
          .written = written,
          .compute = dtype};
}

}  // namespace

Work Linear::forward_work(std::span<const TensorType> inputs) const {
  const Size s = size(inputs[kX], inputs[kWeight]);
  const DType dtype = inputs[kX].dtype;
  const Bytes y(s.rows * s.out * size_of(dtype));
  Work work = product_work({.m = s.rows, .n = s.out, .k = s.in},
                           inputs[kX].bytes() + inputs[kWeight].bytes(), y, dtype);
  if (options_.bias) {
    work.other_flops += Flops(static_cast<double>(s.rows) * static_cast<double>(s.out));
    work.read += inputs[kBias].bytes();
  }
  return work;
}

SmallList<Work, 3> Linear::backward_work(std::span<const TensorType> inputs,
                                         GradientMask wanted) const {
  const Size s = size(inputs[kX], inputs[kWeight]);
  const DType dtype = inputs[kX].dtype;
  const Bytes x = inputs[kX].bytes();
  const Bytes weight = inputs[kWeight].bytes();
  const Bytes weight_gradient(s.in * s.out * size_of(sum_dtype(dtype)));
  const Bytes dy(s.rows * s.out * size_of(dtype));
  SmallList<Work, 3> list;
  if (wants(wanted, kWeight)) {
    list.push_back(
        product_work({.m = s.in, .n = s.out, .k = s.rows}, x + dy, weight_gradient, dtype));
  }
  if (wants(wanted, kX)) {
    list.push_back(product_work({.m = s.rows, .n = s.in, .k = s.out}, dy + weight, x, dtype));
  }
  if (options_.bias && wants(wanted, kBias)) {
    Work sum{.read = dy, .written = Bytes(s.out * size_of(sum_dtype(dtype))), .compute = dtype};
    sum.other_flops = Flops(static_cast<double>(s.rows) * static_cast<double>(s.out));
    list.push_back(sum);
  }
  return list;
}

Bytes Linear::backward_workspace(std::span<const TensorType> inputs, GradientMask wanted) const {
  const Size s = size(inputs[kX], inputs[kWeight]);
  Bytes bytes(0);
  // dW of a single output feature and db are sums over rows; they run one after the other.
  if (s.out == 1 && wants(wanted, kWeight)) bytes = column_sum_workspace(s.in, inputs[kX].dtype);
  if (options_.bias && wants(wanted, kBias)) {
    bytes = std::max(bytes, column_sum_workspace(s.out, inputs[kX].dtype));
  }
  return bytes;
}

InPlaceRules Linear::backward_in_place(std::size_t, std::size_t) const {
  return {{.write = kX, .read = kX}};
}

}  // namespace headroom::ops
