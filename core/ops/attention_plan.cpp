#include "core/ops/attention_plan.h"

#include "core/ops/partials.h"

#include <algorithm>

namespace headroom::ops {
namespace {

/// Parts of scratch start at multiples of this many elements (256 bytes of f32).
constexpr std::int64_t kAlignment = 64;
/// Elements of a row of scores are a multiple of this: a vector of 64 bytes of f32.
constexpr std::int64_t kRowMultiple = 16;

std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

bool is_narrow(DType dtype) { return size_of(dtype) < 4; }

/// Hands out room, part after part.
class Layout {
 public:
  std::int64_t take(std::int64_t elements) {
    const std::int64_t offset = elements_;
    elements_ += round_up(elements, kAlignment);
    return offset;
  }
  [[nodiscard]] std::int64_t elements() const { return elements_; }

 private:
  std::int64_t elements_ = 0;
};

/// Keys that any one chunk sees at most. One vector more than that keeps rows of scores from lying
/// a power of two apart, where they would compete for the same lines of a cache.
std::int64_t row_width(const AttentionPlan& plan) {
  const std::int64_t seen =
      plan.window > 0 ? std::min(plan.time, plan.window + plan.chunk - 1) : plan.time;
  return round_up(seen, kRowMultiple) + kRowMultiple;
}

}  // namespace

PositionRange AttentionPlan::queries(std::int64_t index) const {
  return {index * chunk, std::min((index + 1) * chunk, time)};
}

PositionRange AttentionPlan::keys(PositionRange queries) const {
  return {window > 0 ? std::max<std::int64_t>(0, queries.begin - window + 1) : 0,
          causal ? queries.end : time};
}

double AttentionPlan::scores() const {
  double pairs = 0;
  for (std::int64_t i = 0; i < chunks(); ++i) {
    const PositionRange rows = queries(i);
    pairs += static_cast<double>(rows.size()) * static_cast<double>(keys(rows).size());
  }
  return pairs * static_cast<double>(batch) * static_cast<double>(heads);
}

std::int64_t AttentionPlan::slots() const { return std::min(batch * kv_heads, kSlots); }

AttentionScratch AttentionPlan::forward_scratch(DType dtype) const {
  Layout layout;
  AttentionScratch s{.width = row_width(*this)};
  s.scores = layout.take(chunk * s.width);
  s.probabilities = is_narrow(dtype) ? layout.take(chunk * s.width / 2) : s.scores;
  s.result = layout.take(chunk * head_dim);
  s.sums = layout.take(chunk);
  s.elements = layout.elements();
  return s;
}

AttentionScratch AttentionPlan::backward_scratch(DType dtype) const {
  Layout layout;
  AttentionScratch s{.width = row_width(*this)};
  s.scores = layout.take(chunk * s.width);
  if (is_narrow(dtype)) {
    s.gradients = s.scores;
    s.probabilities = layout.take(chunk * s.width / 2);
    s.slopes = layout.take(chunk * s.width / 2);
  } else {
    s.probabilities = s.scores;
    s.gradients = layout.take(chunk * s.width);
    s.slopes = s.gradients;
  }
  s.result = layout.take(chunk * head_dim);
  s.k_gradient = layout.take(time * head_dim);
  s.v_gradient = layout.take(time * head_dim);
  s.elements = layout.elements();
  return s;
}

Bytes AttentionPlan::workspace(const AttentionScratch& scratch, DType dtype) const {
  return Bytes(checked_multiply(slots() * partial_element_size(dtype), scratch.elements,
                                "attention workspace"));
}

}  // namespace headroom::ops
