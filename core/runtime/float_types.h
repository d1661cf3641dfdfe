#pragma once

#include "core/describe/convert.h"
#include "core/describe/dtype.h"
#include "core/describe/error.h"

#include <string>

namespace headroom::runtime {

/// Calls `body.operator()<X, W>()` with the C++ types of activations and of the weights that meet
/// them: equal, or f32 weights with 16-bit activations (mixed precision).
/// Errors: Error for any other pair.
template <class Body>
void with_float_types(DType activations, DType weights, Body&& body) {
  const auto are = [&](DType a, DType w) { return activations == a && weights == w; };
  if (are(DType::kF64, DType::kF64)) {
    body.template operator()<double, double>();
  } else if (are(DType::kF32, DType::kF32)) {
    body.template operator()<float, float>();
  } else if (are(DType::kBf16, DType::kF32)) {
    body.template operator()<bf16, float>();
  } else if (are(DType::kBf16, DType::kBf16)) {
    body.template operator()<bf16, bf16>();
  } else if (are(DType::kF16, DType::kF32)) {
    body.template operator()<f16, float>();
  } else if (are(DType::kF16, DType::kF16)) {
    body.template operator()<f16, f16>();
  } else {
    throw Error("no kernel computes with activations in " + std::string(name(activations)) +
                " and weights in " + std::string(name(weights)));
  }
}

}  // namespace headroom::runtime
