#include "core/models/training_step.h"
#include "core/ops/linear.h"
#include "tests/core/models/reference_model.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

BOOST_AUTO_TEST_SUITE(reference_runs)

// FlopCounterMode counts matrix products alone; a bias is a sum.
void check_flops(const ReferenceModel& model, const nlohmann::json& flops) {
  const Step step = models::training_step(plan_of(model, {.name = OptimizerKind::kSgd}, 1), {});
  double forward = 0;
  double backward = 0;
  for (const OpCall& call : step.sections[0].calls) {
    const auto* linear = dynamic_cast<const ops::Linear*>(call.op);
    if (linear == nullptr) continue;
    TensorTypes types;
    for (TensorId id : call.operands) types.push_back(step.tensor(id).type);
    const std::span<const TensorType> inputs(types.data(), 2);
    const ops::Linear product({.layout = linear->options().layout});
    if (call.pass == Pass::kForward) {
      forward += product.forward_work(inputs).flops().value();
    } else {
      GradientMask wanted = 0;
      for (std::size_t i = 0; i < 2; ++i) wanted |= call.writes[i].none() ? 0U : 1U << i;
      for (const Work& work : product.backward_work(inputs, wanted)) {
        backward += work.flops().value();
      }
    }
  }
  BOOST_CHECK_EQUAL(forward, flops.at("forward").get<double>());
  BOOST_CHECK_EQUAL(backward, flops.at("backward").get<double>());
}

void check_model(const ReferenceModel& model, const nlohmann::json& node) {
  check_flops(model, node.at("flops"));
  check_reference_runs(model, node);
}

BOOST_AUTO_TEST_CASE(cruncher) {
  const auto reference = load_reference("cruncher");
  Plan plan;
  plan.model.family = CruncherPlan{.dim = reference.at("dim").get<std::int64_t>(),
                                   .num_layers = reference.at("num_layers").get<std::int64_t>()};
  plan.training.micro_batch_size = reference.at("micro_batch_size").get<std::int64_t>();
  const ReferenceModel model{.name = "cruncher",
                             .plan = plan,
                             .parameters = &reference.at("parameters"),
                             .batches = batches_of(reference)};
  check_model(model, reference);
}

void check_mlp(const char* file, LossKind loss) {
  const auto reference = load_reference(file);
  for (const auto& node : reference.at("cases")) {
    const std::string activation = node.at("activation").get<std::string>();
    MlpPlan mlp;
    mlp.input_size = reference.at("input_size").get<std::int64_t>();
    mlp.hidden_sizes = reference.at("hidden_sizes").get<std::vector<std::int64_t>>();
    mlp.output_size = reference.at("output_size").get<std::int64_t>();
    mlp.activation = *from_name<ActivationKind>(activation);
    mlp.loss = loss;
    Plan plan;
    plan.model.family = mlp;
    plan.training.micro_batch_size = reference.at("micro_batch_size").get<std::int64_t>();
    const ReferenceModel model{.name = std::string(file) + " " + activation,
                               .plan = plan,
                               .parameters = &reference.at("parameters"),
                               .batches = batches_of(reference)};
    check_model(model, node);
  }
}

BOOST_AUTO_TEST_CASE(mlp_with_cross_entropy) {
  check_mlp("mlp_cross_entropy", LossKind::kCrossEntropy);
}
BOOST_AUTO_TEST_CASE(mlp_with_mse) { check_mlp("mlp_mse", LossKind::kMse); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
