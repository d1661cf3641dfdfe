#include "core/models/build.h"
#include "core/models/cast.h"
#include "core/models/weight_init.h"
#include "core/ops/activation.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/linear.h"
#include "core/ops/mse.h"

namespace headroom::models {
namespace {

/// Adds the loss behind the last layer's output.
void add_loss(Graph& graph,
              const MlpPlan& model,
              TensorId output,
              const ComputeTypes& types,
              std::int64_t B,
              double scale) {
  const TensorName target_name{.stem = "batch", .leaf = "target"};
  const TensorName loss_name{.stem = "loss"};
  const auto loss = [&](const Op& op, TensorId target) {
    graph.set_loss(
        graph.apply(op, {output, target}, loss_name, Category::kTemporaries, Phase::kLoss)[0]);
  };
  if (model.loss == LossKind::kCrossEntropy) {
    const TensorId target = graph.input(target_name, {Shape{{"batch", B}}, DType::kI32});
    loss(graph.own(std::make_unique<ops::CrossEntropy>(scale)), target);
  } else {
    output = cast(graph, output, types.values());
    const TensorId target = graph.input(target_name, graph.tensor(output).type);
    loss(graph.own(std::make_unique<ops::MeanSquaredError>(scale)), target);
  }
}

}  // namespace

// x (B,in) -> [linear -> activation] per hidden size -> linear -> loss; weights are (out,in).
Graph build_mlp(const MlpPlan& model, const Plan& plan, const ComputeTypes& types) {
  Graph graph;
  const std::int64_t B = plan.training.micro_batch_size;
  const double scale = 1.0 / static_cast<double>(plan.training.gradient_accumulation_steps);

  const auto& linear = graph.own(std::make_unique<ops::Linear>(
      ops::Linear::Options{.bias = model.bias, .layout = ops::WeightLayout::kOutIn}));
  const auto& activation = graph.own(std::make_unique<ops::Activation>(model.activation));

  TensorId hidden = graph.input({.stem = "batch", .leaf = "x"},
                                {Shape{{"batch", B}, {"in", model.input_size}}, types.values()});
  hidden = cast(graph, hidden, types.activations);
  graph.mark_stream(hidden, StreamRole::kLayerInput);
  std::int64_t fan_in = model.input_size;
  const auto layers = static_cast<std::int32_t>(model.hidden_sizes.size()) + 1;
  for (std::int32_t l = 0; l < layers; ++l) {
    const bool last = l + 1 == layers;
    const std::int64_t size =
        last ? model.output_size : model.hidden_sizes[static_cast<std::size_t>(l)];
    const auto named = [l](std::string_view leaf) {
      return TensorName{.stem = "layers", .index = l, .leaf = leaf};
    };
    const TensorId weight =
        graph.parameter(named("weight"), {Shape{{"out", size}, {"in", fan_in}}, types.matrices},
                        weight_init(plan.model.init, fan_in, size));
    const Category category = last ? Category::kLogits : Category::kActivations;
    if (model.bias) {
      const TensorId bias = graph.parameter(named("bias"), {Shape{{"out", size}}, types.matrices},
                                            bias_init(plan.model.init, fan_in));
      hidden = graph.apply(linear, {hidden, weight, bias}, named("output"), category)[0];
    } else {
      hidden = graph.apply(linear, {hidden, weight}, named("output"), category)[0];
    }
    if (!last) {
      hidden = graph.apply(activation, {hidden}, named("activation"))[0];
      graph.mark_stream(hidden, StreamRole::kLayerInput);
    }
    fan_in = size;
  }
  add_loss(graph, model, hidden, types, B, scale);
  return graph;
}

}  // namespace headroom::models
