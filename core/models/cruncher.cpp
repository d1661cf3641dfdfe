#include "core/describe/error.h"
#include "core/models/build.h"
#include "core/models/cast.h"
#include "core/models/weight_init.h"
#include "core/ops/linear.h"
#include "core/ops/mse.h"

namespace headroom::models {

// x (B,D) -> L times x W (D,D) -> x w (D,1) -> squeeze (B): L D^2 + D parameters.
Graph build_cruncher(const CruncherPlan& model, const Plan& plan, const ComputeTypes& types) {
  // Every layer is described on its own; more than this would be described for minutes.
  constexpr std::int64_t kMostLayers = 10'000;
  if (model.num_layers > kMostLayers) {
    throw ShapeError("model.num_layers: " + std::to_string(model.num_layers) +
                     " is more than the 10,000 layers that this version describes");
  }
  Graph graph;
  const std::int64_t B = plan.training.micro_batch_size;
  const std::int64_t D = model.dim;
  const double scale = 1.0 / static_cast<double>(plan.training.gradient_accumulation_steps);

  const TensorId x = graph.input({.stem = "batch", .leaf = "x"},
                                 {Shape{{"batch", B}, {"hidden", D}}, types.values()});
  const TensorId target =
      graph.input({.stem = "batch", .leaf = "target"}, {Shape{{"batch", B}}, types.values()});

  const auto& layer = graph.own(std::make_unique<ops::Linear>(ops::Linear::Options{}));
  TensorId hidden = cast(graph, x, types.activations);
  graph.mark_stream(hidden, StreamRole::kLayerInput);
  for (std::int32_t l = 0; l < model.num_layers; ++l) {
    const TensorId weight = graph.parameter({.stem = "layers", .index = l, .leaf = "weight"},
                                            {Shape{{"in", D}, {"out", D}}, types.matrices},
                                            weight_init(plan.model.init, D, D));
    hidden =
        graph.apply(layer, {hidden, weight}, {.stem = "layers", .index = l, .leaf = "output"})[0];
    graph.mark_stream(hidden, StreamRole::kLayerInput);
  }
  const auto& head =
      graph.own(std::make_unique<ops::Linear>(ops::Linear::Options{.squeeze = true}));
  const TensorId weight = graph.parameter({.stem = "final", .leaf = "weight"},
                                          {Shape{{"in", D}, {"out", 1}}, types.matrices},
                                          weight_init(plan.model.init, D, 1));
  TensorId prediction =
      graph.apply(head, {hidden, weight}, {.stem = "prediction"}, Category::kLogits)[0];
  prediction = cast(graph, prediction, types.values());

  const auto& mse = graph.own(std::make_unique<ops::MeanSquaredError>(scale));
  graph.set_loss(graph.apply(mse, {prediction, target}, {.stem = "loss"}, Category::kTemporaries,
                             Phase::kLoss)[0]);
  return graph;
}

}  // namespace headroom::models
