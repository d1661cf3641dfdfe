#pragma once

#include "core/describe/op.h"
#include "core/describe/plan_enums.h"
#include "core/ops/attention_plan.h"

namespace headroom::ops {

/// Attention of many heads over one sequence: out = softmax(scale q k^T + mask) v, head by head.
/// Shapes: q (batch, time, heads*head_dim), k and v (batch, time, kv_heads*head_dim), or `packed`
///         (batch, time, (heads + 2 kv_heads)*head_dim) with the heads of q, k and v side by side
///         -> out (batch, time, heads*head_dim), and for backward
///         flash: log-sum-exp of each query's scores (batch, heads, time) in f32 (f64 for f64);
///         eager: all probabilities (batch, heads, time, time).
/// Query head h uses key and value head h / (heads / kv_heads); nothing is copied for it.
/// Both kinds compute chunk by chunk (see AttentionPlan) and give the same results; `flash` never
/// holds more than a chunk of probabilities and computes them anew in backward.
/// With scores 16 times the usual, so that the softmax is nearly all on one key, flash gradients in
/// f32 were off by up to 3e-7 beside a largest one of 1e-2; eager ones were not.
/// Backward reads q, k, v and what was kept, out too for flash. dq, dk, dv may overwrite q, k, v.
/// FLOPs, with s the scores computed (keys outside a chunk's view are not): forward 2 products of
/// 2 s head_dim, 5 s and one per output; backward 4 such products, 1 more for flash, 6 s, and for
/// flash 2 per output.
/// Workspace: per head at work, of which there are at most 16, rows of scores of one chunk and, in
/// backward, the gradients of one head's keys and values.
/// Source: Vaswani et al. 2017; Dao et al. 2022 (flash); Ainslie et al. 2023 (grouped heads).
class Attention final : public Op {
 public:
  struct Options {
    std::int64_t heads = 1;
    std::int64_t kv_heads = 1;
    std::int64_t head_dim = 1;
    bool causal = true;       ///< query t sees keys up to t
    std::int64_t window = 0;  ///< with causal: only the last so many keys, t's own included
    double scale = 0;         ///< 0: 1 / sqrt(head_dim)
    headroom::Attention kind = headroom::Attention::kFlash;
    bool packed = false;
    std::int64_t chunk = 64;  ///< queries at once
  };
  static constexpr std::string_view kName = "attention";
  enum Input : std::uint8_t { kQ, kK, kV, kPacked = 0 };
  enum Output : std::uint8_t { kOut, kKept };

  explicit Attention(Options options) : options_(options) {}
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] bool flash() const { return options_.kind == headroom::Attention::kFlash; }
  [[nodiscard]] double scale() const;
  [[nodiscard]] AttentionPlan plan(const TensorType& first_input) const;

  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] OutputSpecs outputs(std::span<const TensorType> inputs) const override;
  [[nodiscard]] RecomputeCost recompute_cost() const override { return RecomputeCost::kAttention; }
  [[nodiscard]] SavedOperands saved() const override;
  [[nodiscard]] Work forward_work(std::span<const TensorType> inputs) const override;
  [[nodiscard]] SmallList<Work, 3> backward_work(std::span<const TensorType> inputs,
                                                 GradientMask wanted) const override;
  [[nodiscard]] Bytes forward_workspace(std::span<const TensorType> inputs) const override;
  [[nodiscard]] Bytes backward_workspace(std::span<const TensorType> inputs,
                                         GradientMask wanted) const override;
  [[nodiscard]] InPlaceRules backward_in_place(std::size_t inputs,
                                               std::size_t outputs) const override;

 private:
  void check_options() const;
  void check_inputs(std::span<const TensorType> inputs) const;

  Options options_;
};

}  // namespace headroom::ops
