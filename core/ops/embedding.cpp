#include "core/ops/embedding.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

#include <limits>

namespace headroom::ops {
namespace {

Bytes gradient_bytes(const TensorType& parameter) {
  return TensorType{parameter.shape, sum_dtype(parameter.dtype)}.bytes();
}

TensorType result_type(const Embedding::Options& options, std::span<const TensorType> inputs) {
  Shape shape = inputs[Embedding::kTokens].shape;
  const TensorType& table = inputs[Embedding::kTable];
  shape.append(table.shape.back());
  return {shape, options.dtype.value_or(table.dtype)};
}

void check_sizes(const TensorType& tokens, const TensorType& table) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  if (table.shape.rank() != 2 || table.shape.numel() == 0 || table.shape[0].size > kMost) {
    throw ShapeError(shape_message(Embedding::kName, "table", to_string(table.shape),
                                   "two dimensions, rows numbered by i32"));
  }
  if (tokens.dtype != DType::kI32) {
    throw ShapeError(shape_message(Embedding::kName, "tokens dtype",
                                   std::string(headroom::name(tokens.dtype)), "i32"));
  }
  if (tokens.shape.numel() > kMost) {
    throw ShapeError(shape_message(Embedding::kName, "tokens", to_string(tokens.shape),
                                   "at most " + std::to_string(kMost)));
  }
}

void check_positions(std::span<const TensorType> inputs) {
  const TensorType& tokens = inputs[Embedding::kTokens];
  const TensorType& table = inputs[Embedding::kTable];
  const TensorType& positions = inputs[Embedding::kPositions];
  if (tokens.shape.rank() == 0) {
    throw ShapeError(shape_message(Embedding::kName, "tokens", to_string(tokens.shape),
                                   "at least one dimension, to have positions"));
  }
  if (positions.shape.rank() != 2 || positions.shape.columns() != table.shape.columns() ||
      positions.shape[0].size < tokens.shape.columns()) {
    throw ShapeError(shape_message(Embedding::kName, "positions", to_string(positions.shape),
                                   "at least " + std::to_string(tokens.shape.columns()) +
                                       " rows of " + std::to_string(table.shape.columns())));
  }
  if (positions.dtype != table.dtype) {
    throw ShapeError(shape_message(Embedding::kName, "positions dtype",
                                   std::string(headroom::name(positions.dtype)),
                                   std::string(headroom::name(table.dtype)) + " as the table"));
  }
}

}  // namespace

int TokenSort::passes() const {
  int count = 1;
  for (std::int64_t rest = table_rows >> kDigitBits; rest > 0; rest >>= kDigitBits) ++count;
  return count;
}

OutputSpecs Embedding::outputs(std::span<const TensorType> inputs) const {
  if (inputs.size() != (options_.positions ? 3U : 2U)) {
    throw ShapeError(
        shape_message(kName, "operands", std::to_string(inputs.size()),
                      options_.positions ? "tokens, table, positions" : "tokens, table"));
  }
  check_sizes(inputs[kTokens], inputs[kTable]);
  if (options_.positions) check_positions(inputs);
  return {{.type = result_type(options_, inputs)}};
}

SavedOperands Embedding::saved() const { return {.inputs = {kTokens}, .outputs = {}}; }

Work Embedding::forward_work(std::span<const TensorType> inputs) const {
  const TensorType y = result_type(options_, inputs);
  const Bytes rows = TensorType{y.shape, inputs[kTable].dtype}.bytes();
  Work work{.read = inputs[kTokens].bytes() + rows, .written = y.bytes(), .compute = y.dtype};
  if (options_.positions) {
    const std::int64_t length = inputs[kTokens].shape.columns();
    work.read += Bytes(length * y.shape.columns() * size_of(inputs[kPositions].dtype));
    work.other_flops = Flops(static_cast<double>(y.shape.numel()));
  }
  return work;
}

SmallList<Work, 3> Embedding::backward_work(std::span<const TensorType> inputs,
                                            GradientMask wanted) const {
  const TensorType y = result_type(options_, inputs);
  SmallList<Work, 3> list;
  for (const std::size_t i : {std::size_t{kTable}, std::size_t{kPositions}}) {
    if (!wants(wanted, i)) continue;
    Work work{.read = y.bytes(), .written = gradient_bytes(inputs[i]), .compute = y.dtype};
    if (i == kTable) work.read += inputs[kTokens].bytes();
    work.other_flops = Flops(static_cast<double>(y.shape.numel()));
    list.push_back(work);
  }
  return list;
}

Bytes Embedding::backward_workspace(std::span<const TensorType> inputs, GradientMask wanted) const {
  if (!wants(wanted, kTable)) return Bytes(0);
  const TokenSort sort{inputs[kTokens].shape.numel(), inputs[kTable].shape[0].size};
  return Bytes(sort.workspace_elements() * size_of(DType::kI32));
}

}  // namespace headroom::ops
