#include "gui/model/plan_state.h"

#include "core/io/plan_yaml.h"
#include "gui/model/plan_form.h"
#include "gui/model/slider_scale.h"
#include "tests/gui/model/samples.h"

#include <boost/test/unit_test.hpp>

#include <cstdlib>

namespace headroom::gui {
namespace {

using test::shipped_plan;

PlanState state_of(const std::string& name) {
  LoadedPlan loaded = io::load_plan(shipped_plan(name));
  return {loaded.plan, loaded.origins, {}};
}

PlanState with(const PlanState& state, const std::string& path, const KeyValue& value) {
  const KeyEdit edit{path, value};
  return edited(state, {&edit, 1});
}

BOOST_AUTO_TEST_SUITE(plan_state)

BOOST_AUTO_TEST_CASE(another_optimizer_leaves_a_plan_without_problems) {
  const PlanState state = state_of("cruncher-nesterov");
  BOOST_TEST(state.given.contains("training.optimizer.momentum"));
  for (const char* name : {"sgd", "adagrad", "rmsprop", "adam", "adamw"}) {
    const PlanState next = with(state, "training.optimizer.name", std::string(name));
    BOOST_TEST(next.problems.empty(), name);
    BOOST_TEST(to_text(find_key("training.optimizer.name")->access.get(next.plan)) == name);
  }
  const PlanState adam = with(state, "training.optimizer.name", std::string("adam"));
  BOOST_TEST(!adam.given.contains("training.optimizer.momentum"));
  BOOST_TEST(adam.plan.training.optimizer.beta1 == 0.9);
}

BOOST_AUTO_TEST_CASE(another_family_gets_starting_values) {
  const PlanState mlp = with(state_of("cruncher"), "model.type", std::string("mlp"));
  BOOST_TEST(mlp.problems.empty());
  BOOST_TEST(std::get<MlpPlan>(mlp.plan.model.family).input_size == 128);
  const PlanState back = with(mlp, "model.type", std::string("cruncher"));
  BOOST_TEST(back.problems.empty());
  BOOST_TEST(!back.given.contains("model.input_size"));
}

BOOST_AUTO_TEST_CASE(one_run_length_replaces_the_other) {
  const PlanState state = with(state_of("cruncher"), "training.epochs", 3.0);
  BOOST_TEST(state.problems.empty());
  BOOST_TEST(!state.plan.training.max_steps.has_value());
  BOOST_TEST(state.plan.training.epochs.value() == 3.0);
}

BOOST_AUTO_TEST_CASE(unset_goes_back_to_the_default) {
  const PlanState state = with(state_of("cruncher"), "training.optimizer.lr", {});
  BOOST_TEST(state.plan.training.optimizer.lr == 0.01);
  BOOST_TEST(!state.given.contains("training.optimizer.lr"));
}

BOOST_AUTO_TEST_CASE(conflicts_are_told_at_their_field) {
  PlanState state =
      with(state_of("cruncher"), "training.lr_schedule.warmup_steps", std::int64_t{100000});
  BOOST_TEST(state.problems.size() == 1U);
  bool seen = false;
  for (const FormSection& section : form_of(state)) {
    for (const FormField& field : section.fields) {
      const bool here = field.key->path == "training.lr_schedule.warmup_steps";
      BOOST_TEST(field.problem.isEmpty() == !here);
      seen = seen || here;
    }
  }
  BOOST_TEST(seen);
}

BOOST_AUTO_TEST_CASE(the_command_gives_the_same_plan) {
  const PlanState saved = state_of("mlp-digits");
  PlanState state = saved;
  for (const auto& [path, value] : std::vector<std::pair<std::string, KeyValue>>{
           {"training.micro_batch_size", std::int64_t{256}},
           {"model.hidden_sizes", std::vector<std::int64_t>{32, 16}},
           {"training.optimizer.lr", {}},
           {"training.optimizer.name", std::string("sgd")},
           {"training.optimizer.momentum", 0.9},
           {"hardware.gpu", std::string("a100-sxm-80gb")},
           {"training.max_steps", std::int64_t{50}}}) {
    state = with(state, path, value);
  }
  BOOST_TEST(state.problems.empty());
  // Let a shell take the words apart, as it would after pasting.
  const std::string line = command_line(state, saved, shipped_plan("mlp-digits").string());
  const test::TemporaryFolder folder;
  const auto out = folder.path() / "words";
  const std::string words = line.substr(std::string("headroom estimate ").size());
  BOOST_TEST(std::system(("printf '%s\\n' " + words + " > " + out.string()).c_str()) == 0);
  std::ifstream file(out);
  std::string path;
  std::getline(file, path);
  std::vector<std::string> overrides;
  for (std::string word; std::getline(file, word);) overrides.push_back(word);
  BOOST_TEST((io::load_plan(path, overrides).plan == state.plan), line);
}

BOOST_AUTO_TEST_CASE(unknown_words_of_a_suggestion_are_refused) {
  BOOST_CHECK_THROW((void)edits_of_words("training.micro_batch_size"), Error);
  BOOST_CHECK_THROW((void)edits_of_words("training.nothing=1"), Error);
  BOOST_CHECK_THROW((void)edits_of_words("training.micro_batch_size=many"), ConfigError);
  BOOST_TEST(edits_of_words("training.micro_batch_size=2 training.optimizer.name=sgd").size() ==
             2U);
}

BOOST_AUTO_TEST_CASE(typed_text_is_judged) {
  const KeySpec& sizes = *find_key("model.hidden_sizes");
  BOOST_TEST((typed_value(sizes, "64, 32").value == KeyValue(std::vector<std::int64_t>{64, 32})));
  BOOST_TEST((typed_value(sizes, "[]").value == KeyValue(std::vector<std::int64_t>{})));
  BOOST_TEST(!typed_value(sizes, "64, many").problem.empty());
  BOOST_TEST(!typed_value(sizes, "[64").problem.empty());
  const KeySpec& batch = *find_key("training.micro_batch_size");
  BOOST_TEST((typed_value(batch, "1e3").value == KeyValue(std::int64_t{1000})));
  for (const char* bad : {"0", "-3", "1.5", "", "99999999999999999999", "two"}) {
    BOOST_TEST(!typed_value(batch, bad).problem.empty(), bad);
  }
}

BOOST_AUTO_TEST_CASE(slider_positions_and_values_agree) {
  int sliders = 0;
  for (const KeySpec& key : plan_schema()) {
    const SliderScale scale(key);
    if (!scale.usable()) continue;
    ++sliders;
    for (int position = 0; position <= scale.last_position(); ++position) {
      const KeyValue value = scale.value_at(position);
      BOOST_TEST(scale.position_of(value) == position, key.path);
      const auto wrong = check_value(key, value);
      BOOST_TEST(!wrong.has_value(), key.path << ": " << wrong.value_or(""));
      if (position > 0) BOOST_TEST(scale.position_of(scale.stepped(value, -1)) == position - 1);
    }
  }
  BOOST_TEST(sliders > 15);
  const SliderScale batch(*find_key("training.micro_batch_size"));
  BOOST_TEST((batch.stepped(std::int64_t{100}, 1) == KeyValue(std::int64_t{128})));
  BOOST_TEST((batch.stepped(std::int64_t{100}, -1) == KeyValue(std::int64_t{64})));
  BOOST_TEST((batch.stepped(std::int64_t{1}, -1) == KeyValue(std::int64_t{1})));
}

BOOST_AUTO_TEST_CASE(the_form_holds_every_key_that_applies_once) {
  for (const std::string& name : test::kShippedPlans) {
    const PlanState state = state_of(name);
    std::map<std::string_view, int> seen;
    for (const FormSection& section : form_of(state)) {
      for (const FormField& field : section.fields) {
        ++seen[field.key->path];
        BOOST_TEST((field.value == field.key->access.get(state.plan)));
      }
    }
    for (const KeySpec& key : plan_schema()) {
      const bool wanted = !key.derived && !key.loader && key.applies_to(state.plan);
      BOOST_TEST(seen[key.path] == (wanted ? 1 : 0), key.path);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::gui
