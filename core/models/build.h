#pragma once

#include "core/describe/graph.h"
#include "core/describe/plan.h"

namespace headroom::models {

/// What the parts of a model are stored in. Sums, statistics and losses are f32 (f64 for f64).
struct ComputeTypes {
  DType activations = DType::kF32;
  DType matrices = DType::kF32;  ///< weights and biases of linear layers, embedding tables
  DType vectors = DType::kF32;   ///< weights of norms

  ComputeTypes() = default;
  /// Everything in one type, such as f64 in tests of the arithmetic.
  ComputeTypes(DType all)
      : activations(all), matrices(all), vectors(all) {}  // NOLINT(*-explicit-*)
  ComputeTypes(DType compute, DType norms)
      : activations(compute), matrices(compute), vectors(norms) {}

  /// What real numbers of a batch, and the predictions they are compared with, are: f32 or f64.
  [[nodiscard]] DType values() const {
    return activations == DType::kF64 ? DType::kF64 : DType::kF32;
  }
};

/// The types of a precision. Errors: Error for those the engine does not have.
[[nodiscard]] ComputeTypes compute_types(Precision precision);

/// The op list of one micro batch of a plan's model, parameters and loss included.
/// Errors: ShapeError when sizes overflow or do not fit together.
[[nodiscard]] Graph build_graph(const Plan& plan, const ComputeTypes& types = {});

/// One builder per family; each lives in a file of its own.
[[nodiscard]] Graph build_cruncher(const CruncherPlan& model,
                                   const Plan& plan,
                                   const ComputeTypes& types);
[[nodiscard]] Graph build_mlp(const MlpPlan& model, const Plan& plan, const ComputeTypes& types);
[[nodiscard]] Graph build_transformer(const TransformerPlan& model,
                                      const Plan& plan,
                                      const ComputeTypes& types);

/// A transformer that says how likely every next token is, for generating text: no loss.
struct ScoringGraph {
  Graph graph;
  TensorId logits;  ///< (batch, time, vocabulary)
};
[[nodiscard]] ScoringGraph build_scoring_transformer(const TransformerPlan& model,
                                                     const Plan& plan,
                                                     const ComputeTypes& types);

}  // namespace headroom::models
