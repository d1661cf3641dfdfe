#include "core/describe/plan_schema.h"

#include "core/describe/plan_keys.h"
#include "tests/core/describe/plan_trees.h"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <limits>
#include <map>
#include <set>

namespace headroom {
namespace {

BOOST_AUTO_TEST_SUITE(plan_schema_table)

BOOST_AUTO_TEST_CASE(every_key_is_complete) {
  std::set<std::string_view> paths;
  for (const KeySpec& key : plan_schema()) {
    BOOST_TEST_CONTEXT(key.path) {
      BOOST_TEST(paths.insert(key.path).second);
      BOOST_TEST(!key.meaning.empty());
      BOOST_TEST(!key.default_text.empty());
      BOOST_TEST((key.access.get != nullptr && key.access.set != nullptr));
      BOOST_TEST((key.kind == KeyKind::kWord) == !key.choices.empty());
      BOOST_TEST(key.required() ==
                 (key.default_text.starts_with("required") && key.exclusive == 0));
      if (!key.depends_on.empty()) BOOST_TEST(find_key(key.depends_on) != nullptr);
      const bool has_section = key.section().empty() || find_section(key.section()) != nullptr ||
                               find_key(key.section()) != nullptr;
      BOOST_TEST(has_section);
      BOOST_TEST(find_key(key.path) == &key);
    }
  }
  BOOST_TEST(find_key("training.lrr") == nullptr);
}

BOOST_AUTO_TEST_CASE(dependencies_come_first) {
  std::set<std::string_view> before;
  for (const KeySpec& key : plan_schema()) {
    if (!key.depends_on.empty()) BOOST_TEST(before.contains(key.depends_on), key.path);
    before.insert(key.path);
  }
}

BOOST_AUTO_TEST_CASE(sliders_stay_within_limits) {
  for (const KeySpec& key : plan_schema()) {
    if (key.slider.scale == Slider::Scale::kNone) continue;
    BOOST_TEST_CONTEXT(key.path) {
      BOOST_TEST(key.slider.min < key.slider.max);
      BOOST_TEST(key.slider.min >= key.limits.min);
      BOOST_TEST(key.slider.max <= key.limits.max);
      const bool log = key.slider.scale == Slider::Scale::kLog;
      BOOST_TEST(key.slider.step > (log ? 1.0 : 0.0));
      if (log) BOOST_TEST(key.slider.min > 0.0);
    }
  }
}

/// A word that stood for two keys in one place would depend on the order of the table.
BOOST_AUTO_TEST_CASE(no_word_means_two_keys) {
  std::map<std::string, std::string_view> meanings;
  const auto claim = [&](const std::string& place, std::string_view path) {
    const auto [found, fresh] = meanings.emplace(place, path);
    BOOST_TEST((fresh || found->second == path),
               place << " is " << found->second << " and " << path);
  };
  for (const KeySpec& key : plan_schema()) {
    std::vector<std::string> levels = {""};
    for (std::size_t dot = key.path.find('.'); dot != std::string_view::npos;
         dot = key.path.find('.', dot + 1)) {
      levels.emplace_back(key.path.substr(0, dot));
    }
    claim(std::string(key.path), key.path);
    for (const std::string& level : levels) {
      for (const KeyAlias& alias : key.aliases) claim(join_path(level, alias.word), key.path);
      if (key.flat) claim(join_path(level, key.leaf()), key.path);
    }
  }
  for (const SectionSpec& section : plan_sections()) {
    BOOST_TEST(!meanings.contains(std::string(section.path)), section.path);
  }
}

/// A plan of a family that has the key.
Plan plan_with(const KeySpec& key) {
  Plan plan;
  for (const FamilyPlan& family : {FamilyPlan(MlpPlan{}), FamilyPlan(CruncherPlan{}),
                                   FamilyPlan(TransformerPlan{.kind = TransformerKind::kMoe})}) {
    plan.model.family = family;
    if (!std::holds_alternative<std::monostate>(key.access.get(plan))) return plan;
  }
  plan.model.family = MlpPlan{};  // a key that is unset, whatever the family
  return plan;
}

BOOST_AUTO_TEST_CASE(values_of_a_word_key_are_all_accepted_and_kept) {
  for (const KeySpec& key : plan_schema()) {
    if (key.kind != KeyKind::kWord || key.path == "model.type") continue;
    for (const Choice& choice : key.choices) {
      Plan plan = plan_with(key);
      const KeyValue value = std::string(choice.name);
      BOOST_TEST(!check_value(key, value).has_value());
      key.access.set(plan, value);
      BOOST_TEST((key.access.get(plan) == value), key.path << ' ' << choice.name);
    }
    for (const WordAlias& alias : key.word_aliases) {
      BOOST_TEST(!check_value(key, std::string(alias.stands_for)).has_value(), alias.word);
    }
  }
}

BOOST_AUTO_TEST_CASE(setting_one_key_changes_that_key_alone) {
  for (const KeySpec& key : plan_schema()) {
    const bool number = key.kind == KeyKind::kInteger || key.kind == KeyKind::kReal;
    if (!number || key.derived) continue;
    Plan plan = plan_with(key);
    const Plan before = plan;
    const KeyValue old = key.access.get(before);
    key.access.set(plan,
                   key.kind == KeyKind::kInteger ? KeyValue(std::int64_t{77}) : KeyValue(0.625));
    BOOST_TEST((plan != before), key.path);
    for (const KeySpec& other : plan_schema()) {
      if (&other == &key || other.derived) continue;
      BOOST_TEST((other.access.get(plan) == other.access.get(before)),
                 key.path << " also changed " << other.path);
    }
  }
}

BOOST_AUTO_TEST_CASE(changing_the_model_type_changes_the_family) {
  Plan plan;
  plan.model.family = CruncherPlan{.dim = 3, .num_layers = 4};
  const KeySpec& type = *find_key("model.type");
  type.access.set(plan, std::string("cruncher"));
  BOOST_TEST(std::get<CruncherPlan>(plan.model.family).dim == 3);
  type.access.set(plan, std::string("mlp"));
  BOOST_TEST(std::holds_alternative<MlpPlan>(plan.model.family));
  BOOST_TEST(find_key("model.dim")->applies_to(plan) == false);
  BOOST_TEST(find_key("model.bias")->applies_to(plan));
  // Every word of model.type has a family, and every family a word; three are transformers.
  for (const Choice& choice : type.choices) {
    type.access.set(plan, std::string(choice.name));
    BOOST_TEST(model_type(plan.model) == choice.name);
  }
  BOOST_TEST(type.choices.size() == std::variant_size_v<FamilyPlan> + 2);
}

BOOST_AUTO_TEST_CASE(limits_are_checked_and_named) {
  const KeySpec& dim = *find_key("model.dim");
  BOOST_TEST(check_value(dim, std::int64_t{-3}).value() == "-3 is too small: must be at least 1");
  BOOST_TEST(check_value(dim, std::int64_t{0}).value() == "0 is too small: must be at least 1");
  BOOST_TEST(!check_value(dim, std::int64_t{1} << 40).has_value());
  BOOST_TEST(check_value(dim, (std::int64_t{1} << 40) + 1).value() ==
             "1099511627777 is too large: must be at most 2^40");
  const KeySpec& momentum = *find_key("training.optimizer.momentum");
  BOOST_TEST(!check_value(momentum, 0.0).has_value());
  BOOST_TEST(check_value(momentum, 1.0).value() == "1 is too large: must be below 1");
  const KeySpec& epochs = *find_key("training.epochs");
  BOOST_TEST(check_value(epochs, 0.0).value() == "0 is too small: must be above 0");
  BOOST_TEST(check_value(epochs, std::numeric_limits<double>::quiet_NaN()).has_value());
  BOOST_TEST(check_value(epochs, std::string("3")).has_value());
  const KeySpec& betas = *find_key("training.optimizer.betas");
  BOOST_TEST(check_value(betas, std::vector<double>{0.9}).value() == "1 item, but there must be 2");
  BOOST_TEST(check_value(betas, std::vector<double>{0.9, 1.5}).value() ==
             "1.5 is too large: must be below 1");
  BOOST_TEST(check_value(*find_key("data.path"), std::string()).value() == "is empty");
  BOOST_TEST(check_value(*find_key("data.path"), std::string("a\nb")).has_value());
}

BOOST_AUTO_TEST_CASE(numbers_are_written_short_and_read_back_exactly) {
  BOOST_TEST(number_text(1e-5) == "1e-5");
  BOOST_TEST(number_text(0.0001) == "0.0001");
  BOOST_TEST(number_text(3) == "3");
  BOOST_TEST(number_text(1e15) == "1e+15");
  BOOST_TEST(number_text(1e-300) == "1e-300");
  for (const double value : {0.1, 1.0 / 3, 6.02e23, 5e-324, 1.7976931348623157e308, -2.5}) {
    BOOST_TEST(std::strtod(number_text(value).c_str(), nullptr) == value);
  }
  BOOST_TEST(to_text(KeyValue(std::vector<double>{0.9, 0.999})) == "[0.9, 0.999]");
  BOOST_TEST(to_text(KeyValue(std::vector<std::int64_t>{})) == "[]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
