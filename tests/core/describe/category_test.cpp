#include "core/describe/category.h"

#include <boost/test/unit_test.hpp>

#include <string_view>

namespace headroom {
namespace {

BOOST_AUTO_TEST_SUITE(category)

BOOST_AUTO_TEST_CASE(names_are_the_words_of_the_design_in_its_order) {
  constexpr std::string_view kWords[] = {
      "parameters", "master_parameters", "gradients", "optimizer_state", "activations",
      "logits",     "temporaries",       "workspace", "communication",   "inputs",
      "context"};
  BOOST_TEST(std::size(kWords) == kCategoryCount);
  for (std::size_t i = 0; i < kCategoryCount; ++i) {
    BOOST_TEST(name(all_categories()[i]) == kWords[i]);
    BOOST_TEST((category_from_name(kWords[i]) == all_categories()[i]), kWords[i]);
  }
  constexpr std::string_view kPhases[] = {"init", "forward", "loss", "backward", "optimizer"};
  BOOST_TEST(std::size(kPhases) == kPhaseCount);
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    BOOST_TEST(name(static_cast<Phase>(i)) == kPhases[i]);
    BOOST_TEST((phase_from_name(kPhases[i]) == static_cast<Phase>(i)), kPhases[i]);
  }
}

BOOST_AUTO_TEST_CASE(other_words_are_no_category) {
  for (const char* text : {"", "parameter", "Parameters", "optimizer", "params"}) {
    BOOST_TEST(!category_from_name(text).has_value(), text);
  }
  BOOST_TEST(!phase_from_name("train").has_value());
}

BOOST_AUTO_TEST_CASE(values_per_category_are_independent_and_add_up) {
  PerCategory<int> values;
  BOOST_TEST(values.total() == 0);
  int next = 1;
  for (const Category c : all_categories()) values[c] = next++;
  BOOST_TEST(values[Category::kParameters] == 1);
  BOOST_TEST(values[Category::kContext] == 11);
  BOOST_TEST(values.total() == 66);  // 1 + 2 + ... + 11
  PerCategory<int> other = values;
  BOOST_TEST((other == values));
  other[Category::kLogits] += 1;
  BOOST_TEST((other != values));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
