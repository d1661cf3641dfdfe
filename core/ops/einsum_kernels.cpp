#include "core/describe/error.h"
#include "core/ops/einsum.h"
#include "core/ops/kernels.h"
#include "core/ops/reduce_rows.h"
#include "core/ops/strided_rows.h"

#include <algorithm>

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

using runtime::KernelContext;

template <class T>
void sum_into(runtime::Backend& backend,
              const SmallList<ReducedDim, Shape::kMaxRank>& dims,
              const T* x,
              T* y,
              bool accumulate) {
  using A = rows::Accumulate<T>;
  reduce<SumOf<A>>(backend, plan_reduce({dims.data(), dims.size()}), x,
                   static_cast<const T*>(nullptr), y, A(1), accumulate);
}

template <class T>
void run_matmul(runtime::Backend& backend,
                const EinsumMatmul& matmul,
                const T* a,
                const T* b,
                T* c,
                bool accumulate) {
  const std::int64_t calls = matmul.loop.count();
  for (std::int64_t i = 0; i < calls; ++i) {
    backend.matmul({.dtype = dtype_of<T>,
                    .m = matmul.size.m,
                    .n = matmul.size.n,
                    .k = matmul.size.k,
                    .transpose_a = matmul.transpose_a,
                    .transpose_b = matmul.transpose_b,
                    .a = a + matmul.loop.offset(0, i),
                    .b = b + matmul.loop.offset(1, i),
                    .c = c + matmul.loop.offset(2, i),
                    .lda = matmul.lda,
                    .ldb = matmul.ldb,
                    .ldc = matmul.ldc,
                    .batch = matmul.size.batch,
                    .stride_a = matmul.stride_a,
                    .stride_b = matmul.stride_b,
                    .stride_c = matmul.stride_c,
                    .accumulate = accumulate});
  }
}

/// out (+)= the einsum of a and b; b is nullptr if there is one input.
template <class T>
void run_plan(runtime::Backend& backend,
              const EinsumPlan& plan,
              const T* a,
              const T* b,
              T* out,
              bool accumulate,
              T* workspace) {
  using A = rows::Accumulate<T>;
  const T* operands[Pattern::kMaxInputs] = {a, b};
  for (std::size_t i = 0; i < Pattern::kMaxInputs; ++i) {
    const EinsumPreparation& prepared = plan.prepared[i];
    if (!prepared.needed) continue;
    T* target = workspace + prepared.offset;
    sum_into(backend, prepared.dims, operands[i], target, false);
    operands[i] = target;
  }
  switch (plan.kind) {
    case EinsumPlan::Kind::kCopy:
      expand(backend, plan.copy, operands[0], out, A(1), accumulate);
      break;
    case EinsumPlan::Kind::kSum:
      sum_into(backend, plan.sum, operands[0], out, accumulate);
      break;
    case EinsumPlan::Kind::kMultiply:
      multiply(backend, plan.multiply, operands[0], operands[1], out, accumulate);
      break;
    case EinsumPlan::Kind::kMatmul: {
      const T* left = operands[plan.matmul.swapped ? 1 : 0];
      const T* right = operands[plan.matmul.swapped ? 0 : 1];
      if (plan.through_scratch) {
        T* scratch = workspace + plan.scratch_offset;
        run_matmul(backend, plan.matmul, left, right, scratch, false);
        expand<T>(backend, plan.copy, scratch, out, A(1), accumulate);
      } else {
        run_matmul(backend, plan.matmul, left, right, out, accumulate);
      }
      break;
    }
  }
}

TensorTypes types_of(const KernelContext& context) {
  TensorTypes types;
  for (std::size_t i = 0; i < context.input_count(); ++i) types.push_back(context.input_type(i));
  return types;
}

template <class T>
T* take_workspace(const KernelContext& context, std::int64_t elements) {
  return elements == 0 ? nullptr : context.workspace<T>(elements);
}

template <class T>
void forward_typed(KernelContext& context) {
  const TensorTypes types = types_of(context);
  const EinsumPlan plan =
      plan_einsum(context.op<Einsum>().forward_shape({types.data(), types.size()}));
  const T* a = context.read<T>(0);
  const T* b = types.size() == 2 ? context.read<T>(1) : nullptr;
  T* workspace = take_workspace<T>(context, plan.workspace_elements);
  run_plan(runtime::backend(context), plan, a, b,
           context.write<T>(0, context.write_type(0).shape.numel()), context.accumulates(0),
           workspace);
}

template <class T>
void backward_typed(KernelContext& context) {
  const TensorTypes types = types_of(context);
  const std::size_t upstream = context.output_gradient(0);
  if (!context.has_read(upstream)) {
    throw Error("[einsum] an einsum cannot be a step's loss; add a reduce \"->\" behind it");
  }
  const T* dy = context.read<T>(upstream);
  EinsumPlan plans[Pattern::kMaxInputs];
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!context.has_write(i)) continue;
    plans[i] = plan_einsum(context.op<Einsum>().gradient_shape({types.data(), types.size()}, i));
    elements = std::max(elements, plans[i].workspace_elements);
  }
  T* workspace = take_workspace<T>(context, elements);
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!context.has_write(i)) continue;
    const T* other = types.size() == 2 ? context.read<T>(1 - i) : nullptr;
    run_plan(runtime::backend(context), plans[i], dy, other,
             context.write<T>(i, types[i].shape.numel()), context.accumulates(i), workspace);
  }
}

void forward(KernelContext& context) {
  runtime::with_wide_type(context.input_type(0).dtype,
                          [&]<class T>() { forward_typed<T>(context); });
}

void backward(KernelContext& context) {
  runtime::with_wide_type(context.input_type(0).dtype,
                          [&]<class T>() { backward_typed<T>(context); });
}

}  // namespace

void register_einsum(runtime::KernelTable& table) {
  table.add(Einsum::kName, Pass::kForward, forward);
  table.add(Einsum::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
