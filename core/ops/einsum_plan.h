#pragma once

#include "core/describe/work.h"
#include "core/ops/pattern.h"
#include "core/ops/reduce_plan.h"
#include "core/ops/strided.h"

#include <cstdint>

namespace headroom::ops {

/// An einsum over row-major operands: labels of one or two inputs and of the output. Labels that
/// the output does not name are summed; labels that only the output names repeat its values (they
/// come up in gradients).
struct EinsumShape {
  SmallList<Pattern::Labels, Pattern::kMaxInputs> inputs;
  Pattern::Labels output;
  Pattern::Sizes sizes;

  [[nodiscard]] std::int64_t elements(const Pattern::Labels& labels) const;
};

/// An operand that is summed over labels it alone has, or put in another order, before the product.
struct EinsumPreparation {
  bool needed = false;
  SmallList<ReducedDim, Shape::kMaxRank> dims;  ///< of the operand: where each goes, or summed
  std::int64_t elements = 0;                    ///< of the result
  std::int64_t offset = 0;                      ///< of the result in the workspace, in elements
};

/// The matrix products of an einsum: `loop` times a batch of them. Labels in both inputs and the
/// output are batch, in one input and the output rows or columns, in both inputs alone the sum.
struct EinsumMatmul {
  bool swapped = false;  ///< the second input is the left factor
  MatmulSize size;       ///< of one call; `batch` matrices with the strides below
  bool transpose_a = false, transpose_b = false;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  StridedWalk<3> loop;  ///< further batch labels: offsets in left factor, right factor, result
};

/// How an einsum is computed. Pure description, shared by the op's counts and its kernels.
struct EinsumPlan {
  enum class Kind : std::uint8_t {
    kCopy,      ///< one input, nothing summed: permute and repeat
    kSum,       ///< one input, some of it summed
    kMultiply,  ///< two inputs, nothing summed over both: element by element
    kMatmul,
  };
  Kind kind = Kind::kCopy;
  EinsumPreparation prepared[Pattern::kMaxInputs];
  SmallList<ReducedDim, Shape::kMaxRank> sum;  ///< kSum: the input's dimensions
  StridedWalk<1> copy;      ///< kCopy: the output's order; also from `scratch` to the output
  StridedWalk<2> multiply;  ///< kMultiply: the output's order
  EinsumMatmul matmul;
  bool through_scratch = false;     ///< kMatmul: the result is put in the output's order by `copy`
  std::int64_t scratch_offset = 0;  ///< in the workspace, in elements
  std::int64_t workspace_elements = 0;
  Flops matmul_flops, other_flops;
};

/// Lowers an einsum. Operands are copied only when no choice of orders lets a strided, batched
/// matrix product read or write them where they are; of the choices, the one that copies least.
[[nodiscard]] EinsumPlan plan_einsum(const EinsumShape& shape);

}  // namespace headroom::ops
