#pragma once

#include "core/describe/category.h"
#include "core/describe/units.h"
#include "core/describe/work.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::estimator {

/// FLOPs of one step by one op in one phase, all calls together.
struct OpFlops {
  std::string_view op;
  Phase phase = Phase::kForward;
  Flops matmul, other;
  std::int64_t calls = 0;
  [[nodiscard]] Flops total() const { return matmul + other; }
};

struct FlopsCount {
  std::vector<OpFlops> by_op;  ///< in order of first appearance
  std::array<Flops, kPhaseCount> by_phase;
  Flops matmul, other;
  [[nodiscard]] Flops total() const { return matmul + other; }
  [[nodiscard]] Flops phase(Phase p) const { return by_phase[static_cast<std::size_t>(p)]; }
  /// Matrix products of forward and loss, and of backward.
  Flops forward_matmul, backward_matmul;
};

/// Adds up a step's work list. A multiply-add counts as 2.
[[nodiscard]] FlopsCount count_flops(const WorkList& work);

/// The rule of thumb 6 x items x parameters: 2 forward, 4 backward. Items are tokens or samples.
[[nodiscard]] constexpr Flops six_n_p(double items, double parameters) {
  return Flops(6 * items * parameters);
}

/// What the difference between the rule of thumb and the count is made of.
struct FlopsTerm {
  std::string reason;
  Flops flops;
};
struct FlopsExplanation {
  Flops six_n_p;
  std::vector<FlopsTerm> terms;  ///< six_n_p plus these is `total`; zero terms are left out
  Flops total;
};

struct ModelSize {
  double items = 0;       ///< tokens or samples of the step
  double parameters = 0;  ///< all trainable values
  /// Those that multiply every item: weights of linear layers, the head also when tied.
  /// Unset: derived from the forward products, which holds for models without attention.
  std::optional<double> multiplying_parameters;
};
[[nodiscard]] FlopsExplanation explain_flops(const WorkList& work, const ModelSize& size);

/// Training FLOPs per token by the conventions in use, for decoder transformers. No recomputation.
struct TransformerSize {
  double parameters = 0;              ///< P: all, embeddings included
  double multiplying_parameters = 0;  ///< weights of linear layers and of the head
  double layers = 0, heads = 0, head_size = 0, sequence = 0;
};
struct FlopsPerToken {
  Flops six_n;       ///< 6P
  Flops palm;        ///< 6P + 12 L H D T: attention over all pairs (PaLM, appendix B)
  Flops non_causal;  ///< 6 x multiplying parameters + 12 L H D T
  Flops causal;      ///< 6 x multiplying parameters + 6 L H D (T + 1): what a causal model needs
};
[[nodiscard]] FlopsPerToken flops_per_token(const TransformerSize& size);

}  // namespace headroom::estimator
