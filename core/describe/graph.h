#pragma once

#include "core/describe/op.h"
#include "core/describe/tensor.h"

#include <initializer_list>
#include <memory>
#include <vector>

namespace headroom {

/// One forward call of an op.
struct ForwardCall {
  const Op* op = nullptr;
  SmallList<TensorId, kMaxOperands> inputs, outputs;
  Phase phase = Phase::kForward;
};

/// What a model is to the rest of the product: the forward op list of one micro batch.
/// A model builder fills it; make_step (step.h) turns it into a whole training step.
class Graph {
 public:
  TensorId parameter(TensorName name, TensorType type, Initializer initializer);
  /// A tensor of the batch: rows, tokens or targets.
  TensorId input(TensorName name, TensorType type);

  /// Takes ownership of an op so that calls can refer to it; share one among equal layers.
  template <class OpType>
  const OpType& own(std::unique_ptr<OpType> op) {
    const OpType& reference = *op;
    ops_.push_back(std::move(op));
    return reference;
  }

  /// Appends a call and returns its outputs. Results get `name` and `category`; statistics are
  /// activations. Errors: ShapeError if the operands do not fit the op.
  SmallList<TensorId, kMaxOperands> apply(const Op& op,
                                          std::initializer_list<TensorId> inputs,
                                          TensorName name,
                                          Category category = Category::kActivations,
                                          Phase phase = Phase::kForward);
  /// The scalar the step minimises; its op is called in the loss phase.
  void set_loss(TensorId loss) { loss_ = loss; }

  [[nodiscard]] const TensorInfo& tensor(TensorId id) const { return tensors_[id.at()]; }
  [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return tensors_; }
  [[nodiscard]] const std::vector<ForwardCall>& calls() const { return calls_; }
  [[nodiscard]] const std::vector<TensorId>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<TensorId>& inputs() const { return inputs_; }
  [[nodiscard]] TensorId loss() const { return loss_; }
  /// Elements of all parameters.
  [[nodiscard]] std::int64_t parameter_count() const;
  /// Types of a call's inputs, in order.
  [[nodiscard]] TensorTypes input_types(const ForwardCall& call) const;
  /// Hands the ops over to the step that outlives the graph.
  [[nodiscard]] std::vector<std::unique_ptr<Operation>> release_ops() { return std::move(ops_); }

 private:
  TensorId add(TensorInfo info);

  std::vector<TensorInfo> tensors_;
  std::vector<ForwardCall> calls_;
  std::vector<TensorId> parameters_, inputs_;
  std::vector<std::unique_ptr<Operation>> ops_;
  TensorId loss_;
};

}  // namespace headroom
