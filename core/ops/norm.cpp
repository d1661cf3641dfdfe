#include "core/ops/norm.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

namespace headroom::ops {
namespace {

TensorType statistic_type(const TensorType& x, const TensorType& weight) {
  Shape rows;
  for (std::size_t i = 0; i + 1 < x.shape.rank(); ++i) rows.append(x.shape[i]);
  const std::int64_t heads = x.shape.columns() / weight.shape.numel();
  if (heads > 1) rows.append({"heads", heads});
  return {rows, sum_dtype(x.dtype)};
}

std::string operand_names(const Norm::Options& options) {
  std::string names = options.residual ? "x, residual, weight" : "x, weight";
  return options.bias ? names + ", bias" : names;
}

void check_parameter(std::string_view op,
                     std::string_view what,
                     const TensorType& x,
                     const TensorType& parameter) {
  const std::int64_t columns = x.shape.columns();
  const std::int64_t length = parameter.shape.numel();
  if (parameter.shape.rank() != 1 || length == 0 || columns % length != 0) {
    throw ShapeError(shape_message(
        op, what, to_string(parameter.shape),
        "(" + std::to_string(columns) + ") as the last dimension of x, or a part of it"));
  }
  if (parameter.dtype != x.dtype && parameter.dtype != sum_dtype(x.dtype)) {
    throw ShapeError(shape_message(
        op, std::string(what) + " dtype", std::string(headroom::name(parameter.dtype)),
        std::string(headroom::name(x.dtype)) + ", or f32 where that has 16 bits"));
  }
}

Bytes statistics_bytes(const Norm& norm, std::span<const TensorType> operands) {
  const auto weight = static_cast<std::size_t>(norm.inputs().weight);
  const Bytes one = statistic_type(operands[0], operands[weight]).bytes();
  return norm.centered() ? one + one : one;
}

}  // namespace

Norm::Inputs Norm::inputs() const {
  Inputs at{.x = 0, .residual = -1, .weight = 1, .bias = -1, .count = 2};
  if (options_.residual) {
    at.residual = 1;
    at.weight = 2;
  }
  at.count = at.weight + 1;
  if (options_.bias) at.bias = at.count++;
  return at;
}

Norm::Outputs Norm::output_positions() const {
  Outputs at{.y = 0, .sum = -1, .mean = -1, .rstd = -1, .count = 1};
  if (options_.residual) at.sum = at.count++;
  if (centered_) at.mean = at.count++;
  at.rstd = at.count++;
  return at;
}

OutputSpecs Norm::outputs(std::span<const TensorType> operands) const {
  const Inputs at = inputs();
  if (operands.size() != static_cast<std::size_t>(at.count)) {
    throw ShapeError(shape_message(name(), "operands", std::to_string(operands.size()),
                                   operand_names(options_)));
  }
  const TensorType& x = operands[0];
  if (x.shape.rank() == 0 || x.shape.columns() == 0) {
    throw ShapeError(shape_message(name(), "x", to_string(x.shape), "rows of at least 1 element"));
  }
  if (options_.residual) {
    const TensorType& residual = operands[static_cast<std::size_t>(at.residual)];
    if (!residual.shape.same_sizes(x.shape)) {
      throw ShapeError(shape_message(name(), "residual", to_string(residual.shape),
                                     to_string(x.shape) + " as x"));
    }
    if (residual.dtype != x.dtype) {
      throw ShapeError(shape_message(name(), "residual dtype",
                                     std::string(headroom::name(residual.dtype)),
                                     std::string(headroom::name(x.dtype)) + " as x"));
    }
  }
  const TensorType& weight = operands[static_cast<std::size_t>(at.weight)];
  check_parameter(name(), "weight", x, weight);
  if (options_.bias) {
    const TensorType& bias = operands[static_cast<std::size_t>(at.bias)];
    check_parameter(name(), "bias", x, bias);
    if (bias.dtype != weight.dtype) {
      throw ShapeError(shape_message(name(), "bias dtype", std::string(headroom::name(bias.dtype)),
                                     std::string(headroom::name(weight.dtype)) + " as the weight"));
    }
  }
  OutputSpecs specs{{.type = x}};
  if (options_.residual) specs.push_back({.type = x});
  if (centered_) specs.push_back({.type = statistic_type(x, weight), .statistic = true});
  specs.push_back({.type = statistic_type(x, weight), .statistic = true});
  return specs;
}

SavedOperands Norm::saved() const {
  const Outputs out = output_positions();
  SavedOperands saved;
  if (options_.residual) {
    saved.outputs.push_back(out.sum);
  } else {
    saved.inputs.push_back(0);
  }
  saved.inputs.push_back(inputs().weight);
  if (centered_) saved.outputs.push_back(out.mean);
  saved.outputs.push_back(out.rstd);
  return saved;
}

Work Norm::forward_work(std::span<const TensorType> operands) const {
  const TensorType& x = operands[0];
  Work work{.read = Bytes(0), .written = x.bytes(), .compute = x.dtype};
  for (const TensorType& operand : operands) work.read += operand.bytes();
  work.written += statistics_bytes(*this, operands);
  double per_element = centered_ ? 8 : 4;
  if (options_.bias) per_element += 1;
  if (options_.residual) {
    work.written += x.bytes();
    per_element += 1;
  }
  work.other_flops = Flops(per_element * static_cast<double>(x.shape.numel()));
  return work;
}

SmallList<Work, 3> Norm::backward_work(std::span<const TensorType> operands,
                                       GradientMask wanted) const {
  const Inputs at = inputs();
  const TensorType& x = operands[0];
  const auto wanted_at = [&](int i) {
    return i >= 0 && wants(wanted, static_cast<std::size_t>(i));
  };
  const Bytes both = x.bytes() + x.bytes() + statistics_bytes(*this, operands);
  const double elements = static_cast<double>(x.shape.numel());
  SmallList<Work, 3> list;
  const bool parameters = wanted_at(at.weight) || wanted_at(at.bias);
  if (parameters) {
    Work work{.read = both, .written = Bytes(0), .compute = x.dtype};
    double per_element = 0;
    const TensorType gradient{operands[static_cast<std::size_t>(at.weight)].shape,
                              sum_dtype(x.dtype)};
    if (wanted_at(at.weight)) {
      work.written += gradient.bytes();
      per_element += centered_ ? 4 : 3;
    }
    if (wanted_at(at.bias)) {
      work.written += gradient.bytes();
      per_element += 1;
    }
    work.other_flops = Flops(per_element * elements);
    list.push_back(work);
  }
  if (wanted_at(at.x) || wanted_at(at.residual)) {
    Work work{.read = both + operands[static_cast<std::size_t>(at.weight)].bytes(),
              .written = Bytes(0),
              .compute = x.dtype};
    if (wanted_at(at.x)) work.written += x.bytes();
    if (wanted_at(at.residual)) work.written += x.bytes();
    double per_element = centered_ ? 11 : 9;
    if (options_.residual) {
      work.read += x.bytes();
      per_element += 1;
    }
    work.other_flops = Flops(per_element * elements);
    list.push_back(work);
  }
  return list;
}

Bytes Norm::backward_workspace(std::span<const TensorType> operands, GradientMask wanted) const {
  const Inputs at = inputs();
  std::int64_t sums = 0;
  for (int parameter : {at.weight, at.bias}) {
    if (parameter >= 0 && wants(wanted, static_cast<std::size_t>(parameter))) ++sums;
  }
  const TensorType& x = operands[0];
  return sums == 0 ? Bytes(0)
                   : column_sum_workspace(
                         checked_multiply(
                             sums, operands[static_cast<std::size_t>(at.weight)].shape.numel(),
                             "partial sums"),
                         x.dtype);
}

Recipe Norm::recipe(std::size_t output) const {
  const Outputs out = output_positions();
  if (plain_ == nullptr || output == static_cast<std::size_t>(out.sum)) return {};
  const Inputs at = inputs();
  Recipe recipe{
      .op = plain_.get(), .operands = {at.count + out.sum, at.weight}, .outputs = {out.y}};
  if (options_.bias) recipe.operands.push_back(at.bias);
  if (centered_) recipe.outputs.push_back(out.mean);
  recipe.outputs.push_back(out.rstd);
  return recipe;
}

// The sum prefers the residual's place, which leaves x's to y.
InPlaceRules Norm::forward_in_place() const {
  if (!options_.residual) return {};
  const Outputs out = output_positions();
  return {{.write = out.sum, .read = 1},
          {.write = out.sum, .read = 0},
          {.write = out.y, .read = 0},
          {.write = out.y, .read = 1}};
}

InPlaceRules Norm::backward_in_place(std::size_t input_count, std::size_t output_count) const {
  const int outputs_at = static_cast<int>(input_count);
  const int gradients_at = outputs_at + static_cast<int>(output_count);
  const Outputs out = output_positions();
  const int dy = gradients_at + out.y;
  if (!options_.residual) return {{.write = 0, .read = dy}, {.write = 0, .read = 0}};
  return {{.write = 1, .read = gradients_at + out.sum},
          {.write = 0, .read = dy},
          {.write = 1, .read = outputs_at + out.sum},
          {.write = 0, .read = outputs_at + out.sum}};
}

}  // namespace headroom::ops
