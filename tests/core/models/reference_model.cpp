#include "tests/core/models/reference_model.h"

#include "core/models/training_step.h"
#include "tests/support/compare.h"
#include "tests/support/reference_optimizer.h"

#include <boost/test/unit_test.hpp>

namespace headroom::test {
namespace {

/// Row `index` of a table whose first dimension counts micro batches.
std::vector<double> slice(const ReferenceTensor& table, std::int64_t index) {
  const std::int64_t size = static_cast<std::int64_t>(table.values.size()) / table.sizes[0];
  const auto begin = table.values.begin() + index * size;
  return {begin, begin + size};
}

}  // namespace

std::vector<std::vector<std::vector<double>>> batches_of(const nlohmann::json& reference) {
  const ReferenceTensor x = tensor_of(reference.at("x"));
  const ReferenceTensor target = tensor_of(reference.at("target"));
  std::vector<std::vector<std::vector<double>>> batches;
  for (std::int64_t micro = 0; micro < x.sizes[0]; ++micro) {
    batches.push_back({slice(x, micro), slice(target, micro)});
  }
  return batches;
}

Plan plan_of(const ReferenceModel& model,
             const OptimizerPlan& optimizer,
             std::int64_t accumulation) {
  Plan plan = model.plan;
  plan.training.gradient_accumulation_steps = accumulation;
  plan.training.optimizer = optimizer;
  return plan;
}

std::unique_ptr<StepRunner> start(const ReferenceModel& model, const Plan& plan, DType dtype) {
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

RunOutcome train(StepRunner& runner, const Plan& plan, std::size_t steps) {
  RunOutcome outcome;
  for (std::size_t t = 1; t <= steps; ++t) {
    const auto result = runner.run({.learning_rate = plan.training.optimizer.lr,
                                    .step = static_cast<std::int64_t>(t),
                                    .grad_clip_norm = plan.training.grad_clip_norm});
    outcome.losses.push_back(result.loss);
    outcome.norms.push_back(result.grad_norm);
  }
  for (TensorId id : runner.step().parameters) outcome.parameters.push_back(runner.get(id));
  return outcome;
}

namespace {

double tolerance_of(DType dtype) { return dtype == DType::kF64 ? 1e-12 : 1e-5; }

// The first step's momentum is the gradient.
void check_first_step(const ReferenceModel& model, const nlohmann::json& node, DType dtype) {
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

void check_run(const ReferenceModel& model, const nlohmann::json& node, DType dtype) {
  Plan plan = plan_of(model, optimizer_of(node), node.at("accumulation").get<std::int64_t>());
  const auto& expected = node.at(std::string(name(dtype)));
  const auto losses = tensor_of(expected.at("losses")).values;
  const std::string what =
      model.name + " " + node.at("optimizer").get<std::string>() + " " + std::string(name(dtype));
  // Ten steps let roundings of f32 grow; Adam divides by roots of tiny squares.
  const double tolerance = dtype == DType::kF64 ? 1e-11 : 1e-4;

  const auto runner = start(model, plan, dtype);
  const RunOutcome got = train(*runner, plan, losses.size());
  check_close(got.losses, losses, tolerance, what + " losses");
  for (std::size_t p = 0; p < got.parameters.size(); ++p) {
    const std::string parameter =
        to_string(runner->step().tensor(runner->step().parameters[p]).name);
    check_close(got.parameters[p], tensor_of(expected.at("final_parameters").at(parameter)).values,
                tolerance, what + " " + parameter, 0.1);
  }

  // Updating at the end instead of within backward changes no bit, and neither does a norm that
  // clips nothing.
  plan.training.optimizer_in_backward = false;
  BOOST_CHECK(train(*start(model, plan, dtype), plan, losses.size()) == got);
  plan.training.grad_clip_norm = 1e30;
  const RunOutcome clipped = train(*start(model, plan, dtype), plan, losses.size());
  BOOST_CHECK(clipped.parameters == got.parameters);
  check_close(clipped.norms, tensor_of(expected.at("gradient_norms")).values, 1e-4,
              what + " gradient norms");
}

}  // namespace

void check_reference_runs(const ReferenceModel& model, const nlohmann::json& node) {
  for (DType dtype : {DType::kF64, DType::kF32}) {
    for (const auto& first : node.at("first_step")) check_first_step(model, first, dtype);
    for (const auto& run : node.at("runs")) check_run(model, run, dtype);
  }
}

}  // namespace headroom::test
