#include "core/ops/head_cross_entropy.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

#include <algorithm>

namespace headroom::ops {
namespace {

/// Fewer rows than this make the products slow: the weight is read and packed, and its gradient
/// read and written, once per chunk. At GPT-2's sizes 256 rows reach 0.96 of the rate of whole
/// products, 128 rows 0.90.
constexpr std::int64_t kLeastRows = 256;
/// Every row of logits starts on a boundary of this many elements, as vector loads like it.
constexpr std::int64_t kRowMultiple = 16;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// About as many logits as hidden values, and at least kLeastRows, in chunks of nearly equal size.
std::int64_t chunk_rows(std::int64_t rows, std::int64_t width, std::int64_t vocabulary) {
  const std::int64_t most =
      std::max(kLeastRows, checked_multiply(rows, width, "hidden values") / vocabulary);
  if (rows <= most) return rows;
  const std::int64_t chunks = (rows + most - 1) / most;
  return round_up((rows + chunks - 1) / chunks, kRowMultiple);
}

}  // namespace

HeadCrossEntropy::Size HeadCrossEntropy::size(const TensorType& hidden,
                                              const TensorType& weight) const {
  const std::int64_t rows = hidden.shape.rows();
  const std::int64_t width = hidden.shape.columns();
  const std::int64_t vocabulary = weight.shape[0].size;
  return {.rows = rows,
          .width = width,
          .vocabulary = vocabulary,
          .classes = options_.classes == 0 ? vocabulary : options_.classes,
          .chunk = chunk_rows(rows, width, vocabulary),
          .stride = round_up(vocabulary, kRowMultiple)};
}

OutputSpecs HeadCrossEntropy::outputs(std::span<const TensorType> inputs) const {
  if (inputs.size() != (options_.valid_given ? 4U : 3U)) {
    throw ShapeError(shape_message(kName, "operands", std::to_string(inputs.size()),
                                   options_.valid_given
                                       ? "hidden, weight, target, number of valid targets"
                                       : "hidden, weight, target"));
  }
  const TensorType& hidden = inputs[kHidden];
  const TensorType& weight = inputs[kWeight];
  const TensorType& target = inputs[kTarget];
  if (hidden.shape.rank() == 0 || hidden.shape.numel() == 0) {
    throw ShapeError(
        shape_message(kName, "hidden", to_string(hidden.shape), "at least one row of values"));
  }
  if (weight.shape.rank() != 2 || weight.shape[1].size != hidden.shape.columns() ||
      weight.shape[0].size < 1) {
    throw ShapeError(shape_message(kName, "weight", to_string(weight.shape),
                                   "(vocabulary, " + std::to_string(hidden.shape.columns()) + ")"));
  }
  if (weight.dtype != hidden.dtype) {
    throw ShapeError(shape_message(kName, "weight dtype", std::string(headroom::name(weight.dtype)),
                                   std::string(headroom::name(hidden.dtype)) + " as hidden"));
  }
  if (options_.classes < 0 || options_.classes > weight.shape[0].size) {
    throw ShapeError(shape_message(
        kName, "classes", std::to_string(options_.classes),
        "at most " + std::to_string(weight.shape[0].size) + ", the rows of the weight"));
  }
  Shape rows;
  for (std::size_t i = 0; i + 1 < hidden.shape.rank(); ++i) rows.append(hidden.shape[i]);
  if (!target.shape.same_sizes(rows)) {
    throw ShapeError(shape_message(kName, "target", to_string(target.shape),
                                   to_string(rows) + ", one class per row of hidden"));
  }
  if (target.dtype != DType::kI32) {
    throw ShapeError(
        shape_message(kName, "target dtype", std::string(headroom::name(target.dtype)), "i32"));
  }
  if (options_.valid_given &&
      (inputs[kValid].shape.numel() != 1 || inputs[kValid].dtype != DType::kF32)) {
    throw ShapeError(shape_message(
        kName, "number of valid targets",
        to_string(inputs[kValid].shape) + ' ' + std::string(headroom::name(inputs[kValid].dtype)),
        "one f32 number"));
  }
  return {{.type = {Shape{}, sum_dtype(hidden.dtype)}}};
}

namespace {

Work product(MatmulSize size, Bytes read, Bytes written, DType dtype) {
  return {.matmul = size,
          .matmul_flops = size.flops(),
          .other_flops = Flops(0),
          .read = read,
          .written = written,
          .compute = dtype};
}

Bytes logit_bytes(const HeadCrossEntropy::Size& s, DType dtype) {
  return Bytes(checked_multiply(checked_multiply(s.rows, s.vocabulary, "logits"),
                                size_of(sum_dtype(dtype)), "logits"));
}

}  // namespace

Work HeadCrossEntropy::forward_work(std::span<const TensorType> inputs) const {
  const Size s = size(inputs[kHidden], inputs[kWeight]);
  const DType dtype = inputs[kHidden].dtype;
  const Bytes logits = logit_bytes(s, dtype);
  Work work = product({.m = s.rows, .n = s.vocabulary, .k = s.width},
                      inputs[kHidden].bytes() + inputs[kWeight].bytes() * s.chunks() +
                          inputs[kTarget].bytes() + logits,
                      logits, dtype);
  const auto rows = static_cast<double>(s.rows);
  work.other_flops = Flops(4 * rows * static_cast<double>(s.classes) + 4 * rows);
  return work;
}

SmallList<Work, 3> HeadCrossEntropy::backward_work(std::span<const TensorType> inputs,
                                                   GradientMask wanted) const {
  const Size s = size(inputs[kHidden], inputs[kWeight]);
  const DType dtype = inputs[kHidden].dtype;
  const Bytes logits = logit_bytes(s, dtype);
  const Bytes hidden = inputs[kHidden].bytes();
  const Bytes weight = inputs[kWeight].bytes();
  const Bytes weight_gradient(s.vocabulary * s.width * size_of(sum_dtype(dtype)));
  SmallList<Work, 3> list;
  if (wanted == 0) return list;
  Work scaling{.read = logits, .written = logits, .compute = dtype};
  const auto rows = static_cast<double>(s.rows);
  scaling.other_flops = Flops(rows * static_cast<double>(s.classes) + rows);
  list.push_back(scaling);
  if (wants(wanted, kWeight)) {
    // Every chunk but the first adds to what the one before it wrote.
    list.push_back(product({.m = s.width, .n = s.vocabulary, .k = s.rows},
                           hidden + logits + weight_gradient * (s.chunks() - 1),
                           weight_gradient * s.chunks(), dtype));
  }
  if (wants(wanted, kHidden)) {
    list.push_back(product({.m = s.rows, .n = s.width, .k = s.vocabulary},
                           logits + weight * s.chunks(), hidden, dtype));
  }
  return list;
}

HeadCrossEntropy::Layout HeadCrossEntropy::layout(const Size& size, DType dtype) {
  const std::int64_t wide = size_of(sum_dtype(dtype));
  const std::int64_t chunk = checked_multiply(size.chunk, size.stride, "a chunk of logits");
  const std::int64_t logits = checked_multiply(chunk, wide, "a chunk of logits");
  const bool narrow = size_of(dtype) < wide;
  Layout result{};
  result.gradients = narrow ? logits : 0;
  result.losses = logits + (narrow ? chunk * size_of(dtype) : 0);
  result.factor = result.losses + checked_multiply(size.rows, wide, "losses");
  result.total = Bytes(result.factor + wide);
  return result;
}

Bytes HeadCrossEntropy::forward_workspace(std::span<const TensorType> inputs) const {
  return layout(size(inputs[kHidden], inputs[kWeight]), inputs[kHidden].dtype).total;
}

Bytes HeadCrossEntropy::backward_workspace(std::span<const TensorType> inputs, GradientMask) const {
  return forward_workspace(inputs);
}

InPlaceRules HeadCrossEntropy::backward_in_place(std::size_t, std::size_t) const {
  return {{.write = kHidden, .read = kHidden}};
}

}  // namespace headroom::ops
