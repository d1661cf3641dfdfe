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

/// What a tensor is to activation checkpointing: blocks (layers) begin at some, and sums that run
/// through the whole model (the residual stream) are never computed again from one another.
enum class StreamRole : std::uint8_t {
  kNone,
  kBlockInput,  ///< the stream where a block begins; behind the last block too
  kInside,      ///< the stream in the middle of a block
  kLayerInput,  ///< a block begins, but there is no stream
};

[[nodiscard]] constexpr bool begins_block(StreamRole role) {
  return role == StreamRole::kBlockInput || role == StreamRole::kLayerInput;
}

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

  /// Tells where blocks begin; see StreamRole. Their order is that of the calls.
  void mark_stream(TensorId id, StreamRole role);

  [[nodiscard]] const TensorInfo& tensor(TensorId id) const { return tensors_[id.at()]; }
  [[nodiscard]] StreamRole stream_role(TensorId id) const { return roles_[id.at()]; }
  /// Blocks that begin and end: one less than the tensors marked as block inputs.
  [[nodiscard]] std::int64_t block_count() const { return block_inputs_ - 1; }
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
  std::vector<StreamRole> roles_;
  std::int64_t block_inputs_ = 0;
  std::vector<ForwardCall> calls_;
  std::vector<TensorId> parameters_, inputs_;
  std::vector<std::unique_ptr<Operation>> ops_;
  TensorId loss_;
};

}  // namespace headroom
