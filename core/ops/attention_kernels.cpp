#include "core/describe/error.h"
#include "core/ops/attention.h"
#include "core/ops/attention_rows.h"
#include "core/ops/kernels.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

using runtime::JobBlock;
using runtime::KernelContext;

/// The operands q, k, v or their gradients, packed or not.
template <class T>
struct Operands {
  Heads<T> q, k, v;
};

template <class T>
Operands<T> packed_operands(const AttentionPlan& p, T* data) {
  const std::int64_t kv = p.kv_heads * p.head_dim;
  const std::int64_t q = p.heads * p.head_dim;
  const std::int64_t ld = q + 2 * kv;
  T* const k = data == nullptr ? nullptr : data + q;
  T* const v = data == nullptr ? nullptr : data + q + kv;
  return {{data, p.time, ld, p.head_dim}, {k, p.time, ld, p.head_dim}, {v, p.time, ld, p.head_dim}};
}

template <class T>
Operands<T> separate_operands(const AttentionPlan& p, T* q, T* k, T* v) {
  const std::int64_t kv = p.kv_heads * p.head_dim;
  return {{q, p.time, p.heads * p.head_dim, p.head_dim},
          {k, p.time, kv, p.head_dim},
          {v, p.time, kv, p.head_dim}};
}

/// The output or its gradient.
template <class T>
Heads<T> output_heads(const AttentionPlan& p, T* data) {
  return {data, p.time, p.heads * p.head_dim, p.head_dim};
}

template <class T>
Operands<const T> read_operands(const KernelContext& context, const AttentionPlan& p) {
  if (context.op<Attention>().options().packed) {
    return packed_operands<const T>(p, context.read<T>(Attention::kPacked));
  }
  return separate_operands<const T>(p, context.read<T>(Attention::kQ),
                                    context.read<T>(Attention::kK), context.read<T>(Attention::kV));
}

template <class T>
Operands<T> gradient_operands(const KernelContext& context, const AttentionPlan& p) {
  const auto write = [&](std::size_t i) -> T* {
    return context.has_write(i) ? context.write<T>(i, context.input_type(i).shape.numel())
                                : nullptr;
  };
  if (context.op<Attention>().options().packed) return packed_operands<T>(p, write(0));
  return separate_operands<T>(p, write(Attention::kQ), write(Attention::kK), write(Attention::kV));
}

/// What forward and backward have in common: the jobs' heads, their scratch and their products.
template <class T>
struct Call {
  using A = rows::Accumulate<T>;

  AttentionPlan plan;
  AttentionScratch scratch;
  Operands<const T> in;
  A scale;
  A* memory;  ///< scratch of all slots

  /// Scratch of every job of the block at `offset`, rows of U `ld` apart.
  template <class U = A>
  [[nodiscard]] Matrices<U> part(const JobBlock& block,
                                 std::int64_t offset,
                                 std::int64_t ld) const {
    constexpr std::int64_t kShare = sizeof(A) / sizeof(U);
    return {reinterpret_cast<U*>(memory + block.slot * scratch.elements + offset), ld,
            scratch.elements * kShare};
  }
  /// Rows from `position` on of a head per job: the key and value heads, or query heads.
  [[nodiscard]] Matrices<const T> head(const JobBlock& block,
                                       Heads<const T> x,
                                       std::int64_t batch,
                                       std::int64_t position) const {
    return {x.at(batch, position, block.first), x.ld, x.head_dim};
  }
  [[nodiscard]] Matrices<const T> head(const ChunkView& view, Heads<const T> x) const {
    return {x.at(view.batch, view.first_query, view.first_head), x.ld, view.head_step * x.head_dim};
  }
  template <class U>
  [[nodiscard]] static Matrices<const U> constant(Matrices<U> x) {
    return {x.data, x.ld, x.stride};
  }

  /// Member `member` of every group of query heads that the block's jobs stand for.
  [[nodiscard]] ChunkView view(const JobBlock& block,
                               std::int64_t batch,
                               std::int64_t member,
                               PositionRange queries) const {
    const PositionRange keys = plan.keys(queries);
    return {.batch = batch,
            .first_head = block.first * plan.group() + member,
            .head_step = plan.group(),
            .first_query = queries.begin,
            .queries = queries.size(),
            .first_key = keys.begin,
            .keys = keys.size(),
            .heads = plan.heads,
            .time = plan.time,
            .window = plan.window,
            .causal = plan.causal};
  }

  enum Transpose : std::uint8_t { kNeither, kFirst, kSecond };
  /// c (+)= op(a) op(b), once for every job of the block.
  template <class Queue>
  static void multiply(Queue& queue,
                       const JobBlock& block,
                       const MatmulSize& size,
                       Transpose transpose,
                       Matrices<const T> a,
                       Matrices<const T> b,
                       Matrices<A> c,
                       bool accumulate = false) {
    queue.matmul({.dtype = dtype_of<T>,
                  .c_dtype = dtype_of<A>,
                  .m = size.m,
                  .n = size.n,
                  .k = size.k,
                  .transpose_a = transpose == kFirst,
                  .transpose_b = transpose == kSecond,
                  .a = a.data,
                  .b = b.data,
                  .c = c.data,
                  .lda = a.ld,
                  .ldb = b.ld,
                  .ldc = c.ld,
                  .batch = block.count,
                  .stride_a = a.stride,
                  .stride_b = b.stride,
                  .stride_c = c.stride,
                  .accumulate = accumulate});
  }
};

/// A chunk of queries of one group of heads: scores, softmax, values.
template <class T>
struct ForwardCall : Call<T> {
  using A = rows::Accumulate<T>;
  using Call<T>::plan, Call<T>::scratch, Call<T>::in, Call<T>::scale;

  Heads<T> out;
  A* log_sum_exp;    ///< flash
  T* probabilities;  ///< eager

  template <class Queue>
  void operator()(Queue& queue, const JobBlock& block) const {
    const std::int64_t batch = block.outer / plan.chunks();
    const PositionRange queries = plan.queries(block.outer % plan.chunks());
    const std::int64_t first_key = plan.keys(queries).begin;
    const auto k = this->head(block, in.k, batch, first_key);
    const auto v = this->head(block, in.v, batch, first_key);
    const Matrices<A> scores = this->part(block, scratch.scores, scratch.width);
    const auto exponentials = this->template part<T>(block, scratch.probabilities, scratch.width);
    const Matrices<A> summed = this->part(block, scratch.result, plan.head_dim);
    const Matrices<A> sums = this->part(block, scratch.sums, 1);
    for (std::int64_t member = 0; member < plan.group(); ++member) {
      const ChunkView view = this->view(block, batch, member, queries);
      const std::int64_t row_count = block.count * view.queries;
      this->multiply(queue, block, {.m = view.queries, .n = view.keys, .k = plan.head_dim},
                     this->kSecond, this->head(view, in.q), k, scores);
      queue.rows(Exponentials<T, A>{view, scores, exponentials, sums, log_sum_exp, scale},
                 row_count);
      if (probabilities != nullptr) {
        queue.rows(KeepProbabilities<T, A>{view, exponentials, sums, probabilities}, row_count);
      }
      this->multiply(queue, block, {.m = view.queries, .n = plan.head_dim, .k = view.keys},
                     this->kNeither, this->constant(exponentials), v, summed);
      queue.rows(NormalizedOutput<T, A>{view, summed, sums, out}, row_count);
    }
  }
};

/// All queries of one group of heads: the gradients of its queries chunk by chunk, and those of its
/// key and value head summed over them. A job is alone in writing them.
template <class T>
struct BackwardCall : Call<T> {
  using A = rows::Accumulate<T>;
  using Call<T>::plan, Call<T>::scratch, Call<T>::in, Call<T>::scale;

  Heads<const T> out;  ///< flash
  Heads<const T> upstream;
  const A* log_sum_exp;    ///< flash
  const T* probabilities;  ///< eager
  Operands<T> gradient;
  bool accumulate_q, accumulate_k, accumulate_v;

  template <class Queue>
  void operator()(Queue& queue, const JobBlock& block) const {
    const std::int64_t d = plan.head_dim;
    const Matrices<A> dk = this->part(block, scratch.k_gradient, d);
    const Matrices<A> dv = this->part(block, scratch.v_gradient, d);
    // Unless there is a window, the last chunk sees all keys: what it adds need not find zeros.
    if (plan.window > 0) {
      queue.rows(ClearRows<A>{dk, plan.time, d}, block.count * plan.time);
      queue.rows(ClearRows<A>{dv, plan.time, d}, block.count * plan.time);
    }
    for (std::int64_t member = 0; member < plan.group(); ++member) {
      for (std::int64_t i = plan.chunks(); i-- > 0;) {
        const bool first = plan.window == 0 && member == 0 && i == plan.chunks() - 1;
        run_chunk(queue, block, this->view(block, block.outer, member, plan.queries(i)), !first);
      }
    }
    const std::int64_t row_count = block.count * plan.time;
    if (gradient.k.data != nullptr) {
      queue.rows(CopyRows<A, T>{dk,
                                {gradient.k.at(block.outer, 0, block.first), gradient.k.ld, d},
                                plan.time,
                                d,
                                accumulate_k},
                 row_count);
    }
    if (gradient.v.data != nullptr) {
      queue.rows(CopyRows<A, T>{dv,
                                {gradient.v.at(block.outer, 0, block.first), gradient.v.ld, d},
                                plan.time,
                                d,
                                accumulate_v},
                 row_count);
    }
  }

  template <class Queue>
  void run_chunk(Queue& queue, const JobBlock& block, const ChunkView& view, bool add) const {
    const std::int64_t d = plan.head_dim;
    const std::int64_t row_count = block.count * view.queries;
    const MatmulSize to_keys{.m = view.queries, .n = view.keys, .k = d};
    const MatmulSize to_queries{.m = view.keys, .n = d, .k = view.queries};
    const auto k = this->head(block, in.k, view.batch, view.first_key);
    const auto q = this->head(view, in.q);
    const auto dy = this->head(view, upstream);
    const Matrices<const T> p = chunk_probabilities(queue, block, view, q, k);
    if (gradient.v.data != nullptr) {
      Matrices<A> dv = this->part(block, scratch.v_gradient, d);
      dv.data += view.first_key * d;
      this->multiply(queue, block, to_queries, this->kFirst, p, dy, dv, add);
    }
    if (gradient.q.data == nullptr && gradient.k.data == nullptr) return;
    const Matrices<A> dp = this->part(block, scratch.gradients, scratch.width);
    const auto slopes = this->template part<T>(block, scratch.slopes, scratch.width);
    this->multiply(queue, block, to_keys, this->kSecond, dy,
                   this->head(block, in.v, view.batch, view.first_key), dp);
    queue.rows(ScoreSlopes<T, A>{view, p, dp, slopes, out, upstream, scale}, row_count);
    if (gradient.k.data != nullptr) {
      Matrices<A> dk = this->part(block, scratch.k_gradient, d);
      dk.data += view.first_key * d;
      this->multiply(queue, block, to_queries, this->kFirst, this->constant(slopes), q, dk, add);
    }
    if (gradient.q.data != nullptr) {
      const Matrices<A> dq = this->part(block, scratch.result, d);
      this->multiply(queue, block, {.m = view.queries, .n = d, .k = view.keys}, this->kNeither,
                     this->constant(slopes), k, dq);
      T* const to = gradient.q.at(view.batch, view.first_query, view.first_head);
      queue.rows(
          CopyRows<A, T>{
              dq, {to, gradient.q.ld, view.head_step * d}, view.queries, d, accumulate_q},
          row_count);
    }
  }

  /// A chunk's probabilities: those that were kept, or computed anew.
  template <class Queue>
  Matrices<const T> chunk_probabilities(Queue& queue,
                                        const JobBlock& block,
                                        const ChunkView& view,
                                        Matrices<const T> q,
                                        Matrices<const T> k) const {
    if (probabilities != nullptr) {
      const T* const first = probabilities + view.position(0) * plan.time + view.first_key;
      return {first, plan.time, view.head_step * plan.time * plan.time};
    }
    const Matrices<A> scores = this->part(block, scratch.scores, scratch.width);
    const auto p = this->template part<T>(block, scratch.probabilities, scratch.width);
    this->multiply(queue, block, {.m = view.queries, .n = view.keys, .k = plan.head_dim},
                   this->kSecond, q, k, scores);
    queue.rows(Probabilities<T, A>{view, scores, p, log_sum_exp, scale},
               block.count * view.queries);
    return this->constant(p);
  }
};

template <class T>
Call<T> common_call(const KernelContext& context, const AttentionScratch& scratch) {
  using A = rows::Accumulate<T>;
  const auto& op = context.op<Attention>();
  const AttentionPlan plan = op.plan(context.input_type(0));
  return {.plan = plan,
          .scratch = scratch,
          .in = read_operands<T>(context, plan),
          .scale = static_cast<A>(op.scale()),
          .memory = context.workspace<A>(plan.slots() * scratch.elements)};
}

template <class T>
void forward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const auto& op = context.op<Attention>();
  const AttentionPlan plan = op.plan(context.input_type(0));
  const std::int64_t queries = plan.batch * plan.heads * plan.time;
  ForwardCall<T> call{common_call<T>(context, plan.forward_scratch(dtype_of<T>)), {}, {}, {}};
  call.out = output_heads(plan, context.write<T>(Attention::kOut, queries * plan.head_dim));
  if (op.flash()) {
    call.log_sum_exp = context.write<A>(Attention::kKept, queries);
  } else {
    call.probabilities = context.write<T>(Attention::kKept, queries * plan.time);
  }
  runtime::backend(context).jobs({.outer = plan.batch * plan.chunks(),
                                  .inner = plan.kv_heads,
                                  .slots = plan.slots(),
                                  .dtype = dtype_of<T>,
                                  .multiply_adds = 2 * plan.multiply_adds()},
                                 call);
}

template <class T>
void backward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const auto& op = context.op<Attention>();
  const AttentionPlan plan = op.plan(context.input_type(0));
  const std::size_t upstream = context.output_gradient(Attention::kOut);
  if (!context.has_read(upstream)) {
    throw Error("[attention] attention cannot be a step's loss; add a loss behind it");
  }
  BackwardCall<T> call{common_call<T>(context, plan.backward_scratch(dtype_of<T>)),
                       {},
                       {},
                       {},
                       {},
                       gradient_operands<T>(context, plan),
                       false,
                       false,
                       false};
  call.upstream = output_heads(plan, context.read<T>(upstream));
  const std::size_t kept = context.saved_output(Attention::kKept);
  if (op.flash()) {
    call.out = output_heads(plan, context.read<T>(context.saved_output(Attention::kOut)));
    call.log_sum_exp = context.read<A>(kept);
  } else {
    call.probabilities = context.read<T>(kept);
  }
  const bool packed = op.options().packed;
  call.accumulate_q = context.accumulates(packed ? Attention::kPacked : Attention::kQ);
  call.accumulate_k = context.accumulates(packed ? Attention::kPacked : Attention::kK);
  call.accumulate_v = context.accumulates(packed ? Attention::kPacked : Attention::kV);
  runtime::backend(context).jobs({.outer = plan.batch,
                                  .inner = plan.kv_heads,
                                  .slots = plan.slots(),
                                  .dtype = dtype_of<T>,
                                  .multiply_adds = 5 * plan.multiply_adds()},
                                 call);
}

void forward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { forward_typed<T>(context); });
}

void backward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { backward_typed<T>(context); });
}

}  // namespace

void register_attention(runtime::KernelTable& table) {
  table.add(Attention::kName, Pass::kForward, forward);
  table.add(Attention::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
