// Memory of small Crunchers, derived by hand from what each op needs.

#include "core/describe/trace.h"
#include "core/models/training_step.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

Plan cruncher(std::int64_t dim, std::int64_t layers, std::int64_t batch) {
  Plan plan;
  plan.model.family = CruncherPlan{.dim = dim, .num_layers = layers};
  plan.training.micro_batch_size = batch;
  plan.training.optimizer = {.name = OptimizerKind::kSgd, .lr = 0.1};
  return plan;
}

PlaceUsage usage_of(const Plan& plan, const DeviceTraits& device = kCpuTraits) {
  return usage(trace_of(models::training_step(plan, device)));
}

// D=64, L=2, B=128. f32 bytes: W 16384, w 256; x 32768, target 512, two slots; h 32768 each.
constexpr std::int64_t kW = 64 * 64 * 4, kHead = 64 * 4, kX = 128 * 64 * 4, kTarget = 128 * 4;
constexpr std::int64_t kLoss = 4;

BOOST_AUTO_TEST_CASE(what_lives_for_the_whole_run) {
  const PlaceUsage memory = usage_of(cruncher(64, 2, 128));
  BOOST_TEST(memory.steady[Category::kParameters].value() == 2 * kW + kHead);
  BOOST_TEST(memory.steady[Category::kInputs].value() == 2 * (kX + kTarget));
  BOOST_TEST(memory.steady[Category::kOptimizerState].value() == 0);
  BOOST_TEST(memory.steady[Category::kTemporaries].value() == kLoss);
  BOOST_TEST(memory.steady[Category::kGradients].value() == 0);
}

// Backward needs no second (B,D) buffer: dx of a layer takes the place of its x once dW is
// computed. So the most alive is in the last layer's backward: h1 and h2 (now dx), one dW.
BOOST_AUTO_TEST_CASE(the_peak_is_in_the_backward_of_the_last_square_layer) {
  const PlaceUsage memory = usage_of(cruncher(64, 2, 128));
  const std::int64_t always = 2 * kW + kHead + 2 * (kX + kTarget) + kLoss;
  BOOST_TEST(memory.tensors_peak.value() == always + 2 * kX + kW);
  BOOST_TEST(memory.at_peak[Category::kGradients].value() == kW);
  // What a call overwrites counts as its successor from the start of the call: h1 as dx1, h2 as
  // dx2.
  BOOST_TEST(memory.at_peak[Category::kTemporaries].value() == kLoss + 2 * kX);
  BOOST_TEST(memory.at_peak[Category::kActivations].value() == 0);
  BOOST_TEST(name(memory.peak_phase) == "backward");
  BOOST_TEST(memory.peak_op == "linear");
}

// Kept until the end of the step, all gradients are alive when the first layer's dW is computed.
BOOST_AUTO_TEST_CASE(gradients_all_live_when_the_optimizer_comes_last) {
  Plan plan = cruncher(64, 2, 128);
  plan.training.optimizer_in_backward = false;
  const PlaceUsage memory = usage_of(plan);
  const std::int64_t always = 2 * kW + kHead + 2 * (kX + kTarget) + kLoss;
  // Second layer: h1, dx2, dW2, dw. First layer, later: dx1 in h1's place, dW1, dW2, dw.
  const std::int64_t second = 2 * kX + kW + kHead;
  const std::int64_t first = kX + 2 * kW + kHead;
  BOOST_TEST(memory.tensors_peak.value() == always + std::max(second, first));
}

// With accumulation, gradients of the first micro batch stay while the next one runs forward.
BOOST_AUTO_TEST_CASE(accumulation_keeps_gradients_between_micro_batches) {
  Plan plan = cruncher(64, 2, 128);
  plan.training.gradient_accumulation_steps = 4;
  const PlaceUsage memory = usage_of(plan);
  const std::int64_t always = 2 * kW + kHead + 2 * (kX + kTarget) + kLoss;
  // Backward of the head in a later micro batch: h1, h2, dprediction (128 values), 16 partial
  // sums of 64 values, and every gradient.
  const std::int64_t head = 2 * kX + 128 * 4 + 16 * 64 * 4 + 2 * kW + kHead;
  BOOST_TEST(memory.tensors_peak.value() == always + head);
  BOOST_TEST(memory.at_peak[Category::kGradients].value() == 2 * kW + kHead);
  BOOST_TEST(memory.at_peak[Category::kWorkspace].value() == 16 * 64 * 4);
}

BOOST_AUTO_TEST_CASE(the_number_of_micro_batches_does_not_matter_beyond_two) {
  Plan plan = cruncher(37, 5, 13);
  plan.training.gradient_accumulation_steps = 2;
  const PlaceUsage two = usage_of(plan);
  plan.training.gradient_accumulation_steps = 100;
  const PlaceUsage hundred = usage_of(plan);
  BOOST_TEST(two.tensors_peak.value() == hundred.tensors_peak.value());
}

BOOST_AUTO_TEST_CASE(adam_keeps_two_states_per_parameter) {
  Plan plan = cruncher(64, 2, 128);
  plan.training.optimizer.name = OptimizerKind::kAdamw;
  BOOST_TEST(usage_of(plan).steady[Category::kOptimizerState].value() == 2 * (2 * kW + kHead));
}

BOOST_AUTO_TEST_CASE(a_gpu_also_stages_batches_in_pinned_host_memory) {
  const Step step = models::training_step(cruncher(64, 2, 128), kCudaTraits);
  const Trace trace = trace_of(step);
  BOOST_TEST(usage(trace, Place::kHost).steady[Category::kInputs].value() == 2 * (kX + kTarget));
  BOOST_TEST(usage(trace).steady[Category::kWorkspace].value() == 32LL << 20);
}

BOOST_AUTO_TEST_CASE(every_birth_has_one_death_except_what_lives_for_the_run) {
  Plan plan = cruncher(8, 3, 2);
  plan.training.gradient_accumulation_steps = 3;
  plan.training.grad_clip_norm = 1;
  const Step step = models::training_step(plan, kCpuTraits);
  const Trace trace = trace_of(step);
  std::vector<int> alive(trace.tensors.size(), 0);
  for (const TraceEvent& event : trace.events) {
    int& count = alive[static_cast<std::size_t>(event.tensor)];
    count += event.birth ? 1 : -1;
    BOOST_TEST((count == 0 || count == 1));
  }
  for (std::size_t t = 0; t < alive.size(); ++t) {
    const bool for_the_run = step.tensors[t].lifetime == Lifetime::kRun;
    BOOST_TEST(alive[t] == (for_the_run ? 1 : 0), to_string(step.tensors[t].name));
  }
}

}  // namespace
}  // namespace headroom
