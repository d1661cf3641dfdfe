#include "core/describe/arena_plan.h"

#include "core/describe/error.h"
#include "core/models/training_step.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

Plan mlp(std::vector<std::int64_t> hidden, ActivationKind activation, std::int64_t accumulation) {
  Plan plan;
  plan.model.family = MlpPlan{.input_size = 33,
                              .hidden_sizes = std::move(hidden),
                              .output_size = 5,
                              .activation = activation,
                              .loss = LossKind::kCrossEntropy};
  plan.training.micro_batch_size = 7;
  plan.training.gradient_accumulation_steps = accumulation;
  plan.training.optimizer = {.name = OptimizerKind::kAdam, .lr = 0.1};
  return plan;
}

/// Replays the calls and checks that no two tensors that are alive at once share a byte, except
/// where a call works in place.
void check_no_overlap(const Step& step, const ArenaPlan& plan) {
  const auto lives = liveness(step);
  std::vector<TensorId> alive;
  for (std::size_t s = 0; s < step.sections.size(); ++s) {
    for (std::size_t c = 0; c < step.sections[s].calls.size(); ++c) {
      const OpCall& call = step.sections[s].calls[c];
      for (const InPlace& rule : call.in_place) {
        std::erase(alive, call.reads[static_cast<std::size_t>(rule.read)]);
      }
      for (std::size_t w = 0; w < call.writes.size(); ++w) {
        if (((lives[s][c].born >> w) & 1U) != 0) alive.push_back(call.writes[w]);
      }
      if (!call.workspace.none()) alive.push_back(call.workspace);
      for (std::size_t i = 0; i < alive.size(); ++i) {
        const std::int64_t begin = plan.offsets[alive[i].at()];
        BOOST_TEST(begin % kTensorAlignment == 0);
        BOOST_TEST(begin + step.bytes(alive[i]).value() <= plan.step_bytes.value());
        for (std::size_t j = i + 1; j < alive.size(); ++j) {
          const std::int64_t other = plan.offsets[alive[j].at()];
          const bool apart = begin + step.bytes(alive[i]).value() <= other ||
                             other + step.bytes(alive[j]).value() <= begin;
          BOOST_TEST(apart, to_string(step.tensor(alive[i]).name)
                                << " and " << to_string(step.tensor(alive[j]).name));
        }
      }
      for (TensorId id : lives[s][c].dies) std::erase(alive, id);
    }
  }
  BOOST_TEST(alive.empty());
}

BOOST_AUTO_TEST_CASE(tensors_alive_at_once_never_overlap) {
  for (ActivationKind activation : {ActivationKind::kRelu, ActivationKind::kGelu}) {
    for (std::int64_t accumulation : {1, 2, 5}) {
      for (bool in_backward : {true, false}) {
        Plan plan = mlp({64, 1, 129, 40}, activation, accumulation);
        plan.training.optimizer_in_backward = in_backward;
        const Step step = models::training_step(plan, kCpuTraits);
        check_no_overlap(step, plan_arena(step));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(run_tensors_follow_each_other) {
  const Step step = models::training_step(mlp({8}, ActivationKind::kRelu, 1), kCudaTraits);
  const ArenaPlan plan = plan_arena(step);
  Bytes sum(0);
  for (const TensorInfo& tensor : step.tensors) {
    if (tensor.lifetime == Lifetime::kRun && tensor.place == Place::kDevice) {
      sum += allocated_size(tensor.type.bytes());
    }
  }
  BOOST_TEST(plan.run_bytes.value() == sum.value());
  BOOST_TEST(plan.packing_loss().value() >= 0);
}

BOOST_AUTO_TEST_CASE(sizes_that_overflow_are_refused) {
  Plan plan;
  plan.model.family = CruncherPlan{.dim = 3'000'000'000, .num_layers = 2};
  plan.training.micro_batch_size = 1;
  BOOST_CHECK_THROW((void)models::training_step(plan, kCpuTraits), ShapeError);
  // Each tensor can be addressed, all of them together cannot.
  plan.model.family = CruncherPlan{.dim = 1'000'000, .num_layers = 2};
  plan.training.micro_batch_size = 1LL << 40;
  BOOST_CHECK_THROW((void)models::training_step(plan, kCpuTraits), ShapeError);
  plan.training.micro_batch_size = 1;
  plan.model.family = CruncherPlan{.dim = 1, .num_layers = 1'000'000};
  BOOST_CHECK_THROW((void)models::training_step(plan, kCpuTraits), ShapeError);
}

}  // namespace
}  // namespace headroom
