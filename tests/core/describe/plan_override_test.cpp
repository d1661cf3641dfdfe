#include "core/describe/plan_override.h"

#include "core/describe/plan_read.h"
#include "tests/core/describe/plan_trees.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

using test::map;
using test::scalar;
using test::small_plan;

LoadedPlan with(std::vector<std::string> words, ConfigNode root = small_plan()) {
  std::vector<Problem> problems = apply_overrides(root, words);
  if (!problems.empty()) throw ConfigError(problems);
  return read_plan(root);
}

std::string complaint(std::vector<std::string> words, ConfigNode root = small_plan()) {
  try {
    static_cast<void>(with(std::move(words), std::move(root)));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no complaint";
}

BOOST_AUTO_TEST_SUITE(plan_override)

BOOST_AUTO_TEST_CASE(sets_keys_that_the_file_has_and_that_it_lacks) {
  const Plan plan = with({"model.dim=16", "training.seed=7", "hardware.device=cpu"}).plan;
  BOOST_TEST(std::get<CruncherPlan>(plan.model.family).dim == 16);
  BOOST_TEST(plan.training.seed == 7u);
  BOOST_TEST((plan.hardware.device == DeviceKind::kCpu));
}

BOOST_AUTO_TEST_CASE(later_words_win) {
  BOOST_TEST(with({"training.seed=7", "seed=8"}).plan.training.seed == 8u);
}

BOOST_AUTO_TEST_CASE(familiar_names_work_and_replace_whatever_the_file_calls_it) {
  ConfigNode root = small_plan();
  root.entries[1].value.entries[0].key = "batch_size";
  const LoadedPlan loaded = with({"micro_batch_size=9", "lr=3e-4"}, root);
  BOOST_TEST(loaded.plan.training.micro_batch_size == 9);
  BOOST_TEST(loaded.plan.training.optimizer.lr == 3e-4);
  const RecomputePlan recompute =
      with({"gradient_checkpointing=true"}).plan.training.activation_checkpointing;
  BOOST_TEST((recompute.policy == RecomputePolicy::kFull));
}

BOOST_AUTO_TEST_CASE(a_single_word_section_opens_for_its_keys) {
  ConfigNode root = small_plan();
  root.entries[1].value.entries[1].value = scalar("adam", 7);
  const OptimizerPlan optimizer = with({"training.optimizer.lr=0.5"}, root).plan.training.optimizer;
  BOOST_TEST((optimizer.name == OptimizerKind::kAdam));
  BOOST_TEST(optimizer.lr == 0.5);
  BOOST_TEST((with({"training.optimizer.name=adagrad"}, root).plan.training.optimizer.name ==
              OptimizerKind::kAdagrad));
  BOOST_TEST((with({"optimizer=adagrad"}).plan.training.optimizer.name == OptimizerKind::kAdagrad));
}

BOOST_AUTO_TEST_CASE(every_k_layers) {
  const auto recompute = [](std::vector<std::string> words) {
    return with(std::move(words)).plan.training.activation_checkpointing;
  };
  BOOST_TEST((recompute({"training.activation_checkpointing.every=3"}) ==
              RecomputePlan{RecomputePolicy::kEvery, 3}));
  BOOST_TEST((recompute({"training.activation_checkpointing=full"}) ==
              RecomputePlan{RecomputePolicy::kFull, 0}));
  BOOST_TEST((recompute({"training.activation_checkpointing=full",
                         "training.activation_checkpointing.every=3"}) ==
              RecomputePlan{RecomputePolicy::kEvery, 3}));
}

BOOST_AUTO_TEST_CASE(lists_and_quotes) {
  const Plan plan =
      with({"model.type=mlp", "~model.dim", "~model.num_layers", "model.input_size=3",
            "model.hidden_sizes=[64, 32]", "model.output_size=2", "data.path='my data, [1].csv'"})
          .plan;
  BOOST_TEST(
      (std::get<MlpPlan>(plan.model.family).hidden_sizes == std::vector<std::int64_t>{64, 32}));
  BOOST_TEST(plan.data.path == "my data, [1].csv");
  const SourceLocation where{"override 1"};
  BOOST_TEST(parse_override_value("[ ]", where).items.empty());
  BOOST_TEST(parse_override_value("[1,'a,b', 3 ]", where).items[1].scalar == "a,b");
  BOOST_TEST(parse_override_value(" x y ", where).scalar == "x y");
  BOOST_TEST(parse_override_value("a=b", where).scalar == "a=b");
  BOOST_TEST(parse_override_value("'3'", where).quoted);
  BOOST_CHECK_THROW(static_cast<void>(parse_override_value("[1, 2", where)), ConfigError);
  BOOST_CHECK_THROW(static_cast<void>(parse_override_value("'abc", where)), ConfigError);
  BOOST_CHECK_THROW(static_cast<void>(parse_override_value("[1] 2", where)), ConfigError);
}

BOOST_AUTO_TEST_CASE(dropping) {
  ConfigNode root = small_plan();
  root.entries[1].value.entries.push_back({"lr", {"plan.yaml", 10, 3}, scalar("5", 10)});
  BOOST_TEST(with({"~training.optimizer.lr"}, root).plan.training.optimizer.lr == 1e-3);
  root.entries.push_back({"output", {"plan.yaml", 11, 1}, map({{"keep", scalar("9", 12)}})});
  BOOST_TEST(with({"~output"}, root).plan.output.keep == 2);
  BOOST_TEST(complaint({"~training.seed"}) ==
             "override 1 '~training.seed': training.seed: nothing to drop: the plan does not give "
             "it");
  BOOST_TEST(complaint({"~seed=3"}).find("takes no value") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(plus_adds_only_what_is_new) {
  BOOST_TEST(with({"+training.seed=5"}).plan.training.seed == 5u);
  BOOST_TEST((with({"++model.dim=5"}).plan.model.family == FamilyPlan(CruncherPlan{5, 2})));
  BOOST_TEST(complaint({"+model.dim=5"}) ==
             "override 1 '+model.dim=5': model.dim: is already given (leave out the '+' to change "
             "it)");
}

BOOST_AUTO_TEST_CASE(run_length_words_take_each_others_place) {
  const TrainingPlan training = with({"training.epochs=2"}).plan.training;
  BOOST_TEST(!training.max_steps.has_value());
  BOOST_TEST(training.epochs.value() == 2.0);
  BOOST_TEST(complaint({"training.epochs=2", "max_steps=5"}).find("cannot be given together") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(data_source_words_take_each_others_place) {
  ConfigNode root = small_plan();
  root.entries.push_back({"data", {"plan.yaml", 10, 1}, map({{"path", scalar("x.csv", 11)}})});
  const DataPlan synthetic = with({"data.synthetic=true"}, root).plan.data;
  BOOST_TEST(synthetic.synthetic);
  BOOST_TEST(synthetic.path == "");
  BOOST_TEST(with({"data.synthetic=false"}, root).plan.data.path == "x.csv");
}

BOOST_AUTO_TEST_CASE(problems_name_the_word_and_all_are_told) {
  BOOST_TEST(complaint({"model.dim=16", "training.lrr=3", "nonsense", "output=x"}) ==
             "override 2 'training.lrr=3': training.lrr: unknown key (did you mean "
             "training.optimizer.lr?)\n"
             "override 3 'nonsense': an override is written key.path=value, or ~key.path to drop a "
             "key\n"
             "override 4 'output=x': output: is a section, not a key (set its keys one by one, as "
             "in output.dir=value)");
  BOOST_TEST(complaint({"model.dim=wide"}) ==
             "override 1 'model.dim=wide': model.dim: expected a whole number, got 'wide'");
  BOOST_TEST(complaint({"model.dim="}).find("has no value") != std::string::npos);
  BOOST_TEST(complaint({"=3"}).find("unknown key") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(origins_tell_words_from_files) {
  const LoadedPlan loaded = with({"model.dim=16"});
  BOOST_TEST(origin_text(loaded.origins, "model.dim") == "override 1 'model.dim=16'");
  BOOST_TEST(loaded.origins.at("model.dim").override_word);
  BOOST_TEST(origin_text(loaded.origins, "model.num_layers") == "plan.yaml:4:3");
  BOOST_TEST(origin_text(loaded.origins, "training.seed") == "default");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
