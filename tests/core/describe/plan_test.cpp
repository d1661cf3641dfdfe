#include "core/describe/plan.h"

#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

Plan cruncher_plan() {
  Plan plan;
  plan.model.family = CruncherPlan{.dim = 64, .num_layers = 4};
  plan.training.micro_batch_size = 32;
  plan.training.gradient_accumulation_steps = 4;
  plan.training.max_steps = 100;
  return plan;
}

BOOST_AUTO_TEST_SUITE(plan)

BOOST_AUTO_TEST_CASE(every_enum_value_has_a_word_that_leads_back) {
  const auto check = []<class Enum>(Enum last) {
    const auto words = choices<Enum>();
    BOOST_TEST(words.size() == static_cast<std::size_t>(last) + 1);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto value = static_cast<Enum>(i);
      BOOST_TEST(!words[i].meaning.empty());
      BOOST_TEST((from_name<Enum>(name(value)) == value));
    }
    BOOST_TEST(!from_name<Enum>("no such word").has_value());
  };
  check(ActivationKind::kSilu);
  check(LossKind::kCrossEntropy);
  check(Initialization::kGpt2);
  check(TransformerKind::kMoe);
  check(AttentionBias::kAll);
  check(RopeScaling::kLlama3);
  check(Precision::kFp8Mixed);
  check(OptimizerKind::kAdamw);
  check(LrSchedule::kWsd);
  check(RecomputePolicy::kEvery);
  check(Attention::kFlash);
  check(Determinism::kStrict);
  check(DataFormat::kTokens);
  check(Normalize::kStandardize);
  check(DeviceKind::kCuda);
  check(Framework::kTextbook);
}

BOOST_AUTO_TEST_CASE(words_are_those_of_the_plan_file) {
  BOOST_TEST(name(Precision::kBf16Mixed) == "bf16-mixed");
  BOOST_TEST(name(ActivationKind::kGeluTanh) == "gelu_tanh");
  BOOST_TEST(name(Initialization::kTorchLinear) == "torch_linear");
  BOOST_TEST(name(RecomputePolicy::kEvery) == "every");
  BOOST_TEST(name(Determinism::kSameThreads) == "same_threads");
}

BOOST_AUTO_TEST_CASE(global_batch_multiplies_accumulation_and_ranks) {
  Plan plan = cruncher_plan();
  plan.parallel.data = 8;
  BOOST_TEST(global_batch_size(plan) == 32 * 4 * 8);
  BOOST_TEST(tokens_per_step(plan) == 1024);
}

BOOST_AUTO_TEST_CASE(products_beyond_64_bits_are_refused) {
  Plan plan = cruncher_plan();
  plan.training.micro_batch_size = std::int64_t{1} << 40;
  plan.training.gradient_accumulation_steps = std::int64_t{1} << 40;
  BOOST_CHECK_THROW(static_cast<void>(global_batch_size(plan)), ShapeError);
}

BOOST_AUTO_TEST_CASE(world_size_leaves_experts_to_the_data_ranks) {
  const ParallelPlan parallel{.data = 2, .tensor = 4, .pipeline = 3, .context = 5, .expert = 2};
  BOOST_TEST(world_size(parallel) == 120);
}

BOOST_AUTO_TEST_CASE(total_steps_rounds_epochs_up) {
  Plan plan = cruncher_plan();
  BOOST_TEST(total_steps(plan) == 100);
  plan.training.max_steps.reset();
  plan.training.epochs = 1.0;
  // 1797 samples in steps of 128: 14.04.
  BOOST_TEST(total_steps(plan, 1797) == 15);
  plan.training.epochs = 0.5;
  // 898.5 / 128 = 7.02.
  BOOST_TEST(total_steps(plan, 1797) == 8);
  BOOST_CHECK_THROW(static_cast<void>(total_steps(plan)), Error);
}

BOOST_AUTO_TEST_CASE(columns_follow_model_and_loss) {
  ModelPlan model{.family = CruncherPlan{.dim = 64, .num_layers = 2}};
  BOOST_TEST(input_columns(model) == 64);
  BOOST_TEST(target_columns(model) == 1);
  model.family = MlpPlan{.input_size = 20, .hidden_sizes = {5}, .output_size = 7};
  BOOST_TEST(input_columns(model) == 20);
  BOOST_TEST(target_columns(model) == 7);
  std::get<MlpPlan>(model.family).loss = LossKind::kCrossEntropy;
  BOOST_TEST(target_columns(model) == 1);
  BOOST_TEST(model_type(model) == "mlp");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
