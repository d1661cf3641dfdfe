#include "core/models/training_step.h"
#include "core/ops/linear.h"
#include "tests/support/compare.h"
#include "tests/support/reference_optimizer.h"
#include "tests/support/step_runner.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

using Batches = std::vector<std::vector<std::vector<double>>>;

BOOST_AUTO_TEST_SUITE(reference_runs)

/// A model of tests/reference and what is trained on it.
struct Model {
  std::string name;
  FamilyPlan family;
  std::int64_t micro_batch = 0;
  const nlohmann::json* parameters = nullptr;
  Batches batches;  ///< [micro][x, target]
};

/// Row `index` of a table whose first dimension counts micro batches.
std::vector<double> slice(const ReferenceTensor& table, std::int64_t index) {
  const std::int64_t size = static_cast<std::int64_t>(table.values.size()) / table.sizes[0];
  const auto begin = table.values.begin() + index * size;
  return {begin, begin + size};
}

Batches batches_of(const nlohmann::json& reference) {
  const ReferenceTensor x = tensor_of(reference.at("x"));
  const ReferenceTensor target = tensor_of(reference.at("target"));
  Batches batches;
  for (std::int64_t micro = 0; micro < x.sizes[0]; ++micro) {
    batches.push_back({slice(x, micro), slice(target, micro)});
  }
  return batches;
}

Plan plan_of(const Model& model, const OptimizerPlan& optimizer, std::int64_t accumulation) {
  Plan plan;
  plan.model.family = model.family;
  plan.training.micro_batch_size = model.micro_batch;
  plan.training.gradient_accumulation_steps = accumulation;
  plan.training.optimizer = optimizer;
  return plan;
}

/// A runner of the plan that starts from the reference's parameters.
std::unique_ptr<StepRunner> start(const Model& model, const Plan& plan, DType dtype) {
  auto runner =
      std::make_unique<StepRunner>(models::training_step(plan, {.input_slots = 2}, dtype));
  for (TensorId id : runner->step().parameters) {
    const std::string name = to_string(runner->step().tensor(id).name);
    BOOST_REQUIRE_MESSAGE(model.parameters->contains(name), name << " is no PyTorch parameter");
    runner->set(id, tensor_of(model.parameters->at(name)).values);
  }
  BOOST_REQUIRE_EQUAL(runner->step().parameters.size(), model.parameters->size());
  runner->set_batches(model.batches);
  return runner;
}

double tolerance_of(DType dtype) { return dtype == DType::kF64 ? 1e-12 : 1e-5; }

// The first step's momentum is the gradient.
void check_first_step(const Model& model, const nlohmann::json& node, DType dtype) {
  const OptimizerPlan sgd{.name = OptimizerKind::kSgd, .momentum = 0.5};
  const Plan plan = plan_of(model, sgd, node.at("accumulation").get<std::int64_t>());
  const auto runner = start(model, plan, dtype);
  const auto result = runner->run({.learning_rate = 0.1, .step = 1});
  const auto& expected = node.at(std::string(name(dtype)));
  check_close({result.loss}, tensor_of(expected.at("loss")).values, tolerance_of(dtype),
              model.name + " loss");
  const Step& step = runner->step();
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const std::string parameter = to_string(step.tensor(step.parameters[p]).name);
    check_close(runner->state(p, 0), tensor_of(expected.at("gradients").at(parameter)).values,
                tolerance_of(dtype), model.name + " gradient of " + parameter, 1e-2);
  }
}

std::vector<std::vector<double>> parameters_after(StepRunner& runner,
                                                  const Plan& plan,
                                                  std::size_t steps,
                                                  std::vector<double>& losses,
                                                  std::vector<double>& norms) {
  for (std::size_t t = 1; t <= steps; ++t) {
    const auto result = runner.run({.learning_rate = plan.training.optimizer.lr,
                                    .step = static_cast<std::int64_t>(t),
                                    .grad_clip_norm = plan.training.grad_clip_norm});
    losses.push_back(result.loss);
    norms.push_back(result.grad_norm);
  }
  std::vector<std::vector<double>> values;
  for (TensorId id : runner.step().parameters) values.push_back(runner.get(id));
  return values;
}

void check_run(const Model& model, const nlohmann::json& node, DType dtype) {
  Plan plan = plan_of(model, optimizer_of(node), node.at("accumulation").get<std::int64_t>());
  const auto& expected = node.at(std::string(name(dtype)));
  const auto losses = tensor_of(expected.at("losses")).values;
  const std::string what =
      model.name + " " + node.at("optimizer").get<std::string>() + " " + std::string(name(dtype));
  // Ten steps let roundings of f32 grow; Adam divides by roots of tiny squares.
  const double tolerance = dtype == DType::kF64 ? 1e-11 : 1e-4;

  std::vector<double> got_losses, norms;
  const auto runner = start(model, plan, dtype);
  const auto values = parameters_after(*runner, plan, losses.size(), got_losses, norms);
  check_close(got_losses, losses, tolerance, what + " losses");
  for (std::size_t p = 0; p < values.size(); ++p) {
    const std::string parameter =
        to_string(runner->step().tensor(runner->step().parameters[p]).name);
    check_close(values[p], tensor_of(expected.at("final_parameters").at(parameter)).values,
                tolerance, what + " " + parameter, 0.1);
  }

  // Updating at the end instead of within backward changes no bit, and neither does a norm that
  // clips nothing.
  plan.training.optimizer_in_backward = false;
  std::vector<double> later_losses, later_norms;
  const auto later = start(model, plan, dtype);
  BOOST_CHECK(parameters_after(*later, plan, losses.size(), later_losses, later_norms) == values);
  BOOST_CHECK(later_losses == got_losses);
  plan.training.grad_clip_norm = 1e30;
  std::vector<double> clipped_losses, clipped_norms;
  const auto clipped = start(model, plan, dtype);
  BOOST_CHECK(parameters_after(*clipped, plan, losses.size(), clipped_losses, clipped_norms) ==
              values);
  check_close(clipped_norms, tensor_of(expected.at("gradient_norms")).values, 1e-4,
              what + " gradient norms");
}

// FlopCounterMode counts matrix products alone; a bias is a sum.
void check_flops(const Model& model, const nlohmann::json& flops) {
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

void check_model(const Model& model, const nlohmann::json& node) {
  check_flops(model, node.at("flops"));
  for (DType dtype : {DType::kF64, DType::kF32}) {
    for (const auto& first : node.at("first_step")) check_first_step(model, first, dtype);
    for (const auto& run : node.at("runs")) check_run(model, run, dtype);
  }
}

BOOST_AUTO_TEST_CASE(cruncher) {
  const auto reference = load_reference("cruncher");
  const Model model{
      .name = "cruncher",
      .family = CruncherPlan{.dim = reference.at("dim").get<std::int64_t>(),
                             .num_layers = reference.at("num_layers").get<std::int64_t>()},
      .micro_batch = reference.at("micro_batch_size").get<std::int64_t>(),
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
    const Model model{.name = std::string(file) + " " + activation,
                      .family = mlp,
                      .micro_batch = reference.at("micro_batch_size").get<std::int64_t>(),
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
