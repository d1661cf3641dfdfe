#include "core/describe/trace.h"
#include "core/models/training_step.h"
#include "estimator/frameworks/lowering.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

// "memory accounting": D, layers and batch of the notes' form, AdaGrad's one state per parameter.
constexpr std::int64_t B = 128, D = 64, L = 2;
constexpr std::int64_t P = D * D * L + D;

Plan plan() {
  Plan plan;
  plan.model.family = CruncherPlan{.dim = D, .num_layers = L};
  plan.training.micro_batch_size = B;
  plan.training.optimizer = {.name = OptimizerKind::kAdagrad, .lr = 0.01, .eps = 1e-5};
  return plan;
}

// "num_activations = B * D * num_layers"
BOOST_AUTO_TEST_CASE(activations_are_BDL) {
  BOOST_TEST(estimator::textbook(plan()).activations.value() == 4 * B * D * L);
}

// "num_gradients = num_parameters", "num_optimizer_states = num_parameters"
BOOST_AUTO_TEST_CASE(gradients_and_state_are_as_many_as_parameters) {
  const estimator::Textbook book = estimator::textbook(plan());
  BOOST_TEST(book.parameters.value() == 4 * P);
  BOOST_TEST(book.gradients.value() == 4 * P);
  BOOST_TEST(book.optimizer_state.value() == 4 * P);
}

// "total_memory = 4 * (params + acts + grads + opt_states)"
BOOST_AUTO_TEST_CASE(the_total_is_four_bytes_times_the_sum) {
  BOOST_TEST(estimator::textbook(plan()).total().value() == 4 * (P + B * D * L + P + P));
  Plan as_framework = plan();
  as_framework.framework = Framework::kTextbook;
  const auto lowering = estimator::lower(as_framework, kCpuTraits);
  BOOST_TEST(usage(lowering.trace).tensors_peak.value() == 4 * (P + B * D * L + P + P));
}

// The engine keeps exactly the notes' B D L activations for backward: after the forward pass they
// are all alive.
BOOST_AUTO_TEST_CASE(the_engine_saves_exactly_BDL) {
  const Trace trace = trace_of(models::training_step(plan(), kCpuTraits));
  Bytes most(0), live(0);
  for (const TraceEvent& event : trace.events) {
    const TraceTensor& tensor = trace.tensors[static_cast<std::size_t>(event.tensor)];
    if (tensor.category != Category::kActivations) continue;
    live += tensor.payload * (event.birth ? 1 : -1);
    most = std::max(most, live);
  }
  BOOST_TEST(most.value() == 4 * B * D * L);
}

}  // namespace
}  // namespace headroom
