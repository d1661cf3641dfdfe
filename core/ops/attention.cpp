#include "core/ops/attention.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headroom::ops {
namespace {

[[noreturn]] void refuse(std::string_view what, const std::string& got, const std::string& wanted) {
  throw ShapeError(shape_message(Attention::kName, what, got, wanted));
}

/// FLOPs per score beside the products: forward scaled, shifted, exponential, largest, sum;
/// backward the first three again, and the slope.
constexpr double kForwardFlopsPerScore = 5;
constexpr double kBackwardFlopsPerScore = 6;
/// out * gradient of out, summed.
constexpr double kBackwardFlopsPerOutput = 2;

/// `count` products of one size: those of every chunk of every head.
Work products(const AttentionPlan& plan, double count, DType dtype) {
  const std::int64_t calls = plan.batch * plan.heads * plan.chunks();
  const double keys = plan.scores() / static_cast<double>(plan.batch * plan.heads * plan.time);
  Work work{.matmul = {.m = plan.chunk,
                       .n = static_cast<std::int64_t>(std::ceil(keys)),
                       .k = plan.head_dim,
                       .batch = calls},
            .compute = dtype};
  work.matmul_flops = Flops(2 * count * plan.multiply_adds());
  return work;
}

Bytes bytes_of(std::span<const TensorType> types) {
  Bytes total(0);
  for (const TensorType& type : types) total += type.bytes();
  return total;
}

}  // namespace

double Attention::scale() const {
  return options_.scale > 0 ? options_.scale
                            : 1 / std::sqrt(static_cast<double>(options_.head_dim));
}

AttentionPlan Attention::plan(const TensorType& first_input) const {
  const std::int64_t time = first_input.shape[1].size;
  return {.batch = first_input.shape[0].size,
          .time = time,
          .heads = options_.heads,
          .kv_heads = options_.kv_heads,
          .head_dim = options_.head_dim,
          .window = options_.window,
          .causal = options_.causal,
          .chunk = std::min(options_.chunk, time)};
}

void Attention::check_options() const {
  const Options& o = options_;
  if (o.heads < 1 || o.kv_heads < 1 || o.heads % o.kv_heads != 0) {
    refuse("heads", std::to_string(o.heads) + " with " + std::to_string(o.kv_heads) + " kv_heads",
           "a multiple of kv_heads, both at least 1");
  }
  if (o.head_dim < 1) refuse("head_dim", std::to_string(o.head_dim), "at least 1");
  if (o.chunk < 1) refuse("chunk", std::to_string(o.chunk), "at least 1");
  if (o.window < 0) refuse("window", std::to_string(o.window), "0 for none, or more");
  if (o.window > 0 && !o.causal) {
    refuse("window", std::to_string(o.window), "0, since a window looks back and needs causal");
  }
  if (!(o.scale >= 0) || std::isinf(o.scale)) {
    refuse("scale", std::to_string(o.scale), "0 for 1/sqrt(head_dim), or a positive number");
  }
}

void Attention::check_inputs(std::span<const TensorType> inputs) const {
  static constexpr std::array<const char*, 3> kNames = {"q", "k", "v"};
  const std::int64_t kv = options_.kv_heads * options_.head_dim;
  const std::int64_t q = options_.heads * options_.head_dim;
  const std::array<std::int64_t, 3> columns =
      options_.packed ? std::array{q + 2 * kv, q + 2 * kv, q + 2 * kv} : std::array{q, kv, kv};
  if (inputs.size() != (options_.packed ? 1U : 3U)) {
    refuse("operands", std::to_string(inputs.size()),
           options_.packed ? "one, with q, k and v side by side" : "q, k, v");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string what = options_.packed ? "packed q, k, v" : kNames[i];
    const Shape& shape = inputs[i].shape;
    if (shape.rank() != 3 || shape.back().size != columns[i] || shape.numel() == 0) {
      refuse(what, to_string(shape), "batch, time, " + std::to_string(columns[i]));
    }
    const Shape& first = inputs[0].shape;
    if (shape[0].size != first[0].size || shape[1].size != first[1].size) {
      refuse(what, to_string(shape), "batch and time as in q " + to_string(first));
    }
    if (inputs[i].dtype != inputs[0].dtype) {
      refuse("dtype of " + what, std::string(headroom::name(inputs[i].dtype)),
             std::string(headroom::name(inputs[0].dtype)) + " as in q");
    }
  }
}

OutputSpecs Attention::outputs(std::span<const TensorType> inputs) const {
  check_options();
  check_inputs(inputs);
  const Shape& x = inputs[0].shape;
  const DType dtype = inputs[0].dtype;
  const Dim out{"attention", options_.heads * options_.head_dim};
  Shape kept{x[0], {"heads", options_.heads}, x[1]};
  if (!flash()) kept.append({"keys", x[1].size});
  return {{.type = {Shape{x[0], x[1], out}, dtype}},
          {.type = {kept, flash() ? sum_dtype(dtype) : dtype}, .statistic = true}};
}

SavedOperands Attention::saved() const {
  SavedOperands saved{.inputs = {kQ}, .outputs = {kKept}};
  if (!options_.packed) saved.inputs = {kQ, kK, kV};
  if (flash()) saved.outputs = {kOut, kKept};
  return saved;
}

Work Attention::forward_work(std::span<const TensorType> inputs) const {
  const AttentionPlan p = plan(inputs[0]);
  const OutputSpecs outputs = this->outputs(inputs);
  const TensorType& out = outputs[kOut].type;
  Work work = products(p, 2, inputs[0].dtype);
  work.other_flops =
      Flops(kForwardFlopsPerScore * p.scores() + static_cast<double>(out.shape.numel()));
  work.read = bytes_of(inputs);
  work.written = out.bytes() + outputs[kKept].type.bytes();
  return work;
}

SmallList<Work, 3> Attention::backward_work(std::span<const TensorType> inputs,
                                            GradientMask wanted) const {
  const AttentionPlan p = plan(inputs[0]);
  const OutputSpecs outputs = this->outputs(inputs);
  const TensorType& out = outputs[kOut].type;
  const DType dtype = inputs[0].dtype;
  const bool q = wants(wanted, options_.packed ? kPacked : kQ);
  const bool k = wants(wanted, options_.packed ? kPacked : kK);
  const bool v = wants(wanted, options_.packed ? kPacked : kV);
  SmallList<Work, 3> list;
  // The gradient of the probabilities is needed for those of q and k.
  Work work = products(p, (q || k ? 1.0 : 0.0) + (q ? 1 : 0) + (k ? 1 : 0) + (v ? 1 : 0), dtype);
  work.other_flops = Flops(kBackwardFlopsPerScore * p.scores());
  work.read = bytes_of(inputs) + outputs[kKept].type.bytes() + out.bytes();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (wants(wanted, i)) work.written += inputs[i].bytes();
  }
  if (flash()) {
    work.read += out.bytes();
    work.other_flops += Flops(kBackwardFlopsPerOutput * static_cast<double>(out.shape.numel()));
  }
  list.push_back(work);
  if (flash()) {
    Work scores = products(p, 1, dtype);
    scores.again = true;
    list.push_back(scores);
  }
  return list;
}

Bytes Attention::forward_workspace(std::span<const TensorType> inputs) const {
  const AttentionPlan p = plan(inputs[0]);
  return p.workspace(p.forward_scratch(inputs[0].dtype), inputs[0].dtype);
}

Bytes Attention::backward_workspace(std::span<const TensorType> inputs, GradientMask) const {
  const AttentionPlan p = plan(inputs[0]);
  return p.workspace(p.backward_scratch(inputs[0].dtype), inputs[0].dtype);
}

// A chunk's queries are read for the last time before its dq is stored, a head's keys and values
// before its dk and dv are.
InPlaceRules Attention::backward_in_place(std::size_t, std::size_t) const {
  if (options_.packed) return {{.write = kPacked, .read = kPacked}};
  return {{.write = kQ, .read = kQ}, {.write = kK, .read = kK}, {.write = kV, .read = kV}};
}

}  // namespace headroom::ops
