#include "core/ops/cast.h"

#include "core/describe/error.h"

namespace headroom::ops {
namespace {

bool can_be_cast(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kBf16 ||
         dtype == DType::kF16;
}

void check_dtype(std::string_view what, DType dtype) {
  if (can_be_cast(dtype)) return;
  throw ShapeError(shape_message(Cast::kName, what, std::string(headroom::name(dtype)),
                                 "f64, f32, bf16 or f16"));
}

}  // namespace

OutputSpecs Cast::outputs(std::span<const TensorType> inputs) const {
  if (inputs.size() != 1) {
    throw ShapeError(shape_message(kName, "operands", std::to_string(inputs.size()), "x"));
  }
  check_dtype("x dtype", inputs[0].dtype);
  check_dtype("result dtype", to_);
  return {{.type = {inputs[0].shape, to_}}};
}

Work Cast::forward_work(std::span<const TensorType> inputs) const {
  const TensorType y{inputs[0].shape, to_};
  return {.read = inputs[0].bytes(), .written = y.bytes(), .compute = inputs[0].dtype};
}

SmallList<Work, 3> Cast::backward_work(std::span<const TensorType> inputs, GradientMask) const {
  const TensorType y{inputs[0].shape, to_};
  return {{.read = y.bytes(), .written = inputs[0].bytes(), .compute = inputs[0].dtype}};
}

InPlaceRules Cast::forward_in_place() const { return {{.write = 0, .read = 0}}; }

InPlaceRules Cast::backward_in_place(std::size_t inputs, std::size_t outputs) const {
  return {{.write = 0, .read = static_cast<int>(inputs + outputs)}};
}

}  // namespace headroom::ops
