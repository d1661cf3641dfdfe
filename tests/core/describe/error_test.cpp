#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace headroom {
namespace {

BOOST_AUTO_TEST_SUITE(error)

BOOST_AUTO_TEST_CASE(exit_codes_are_the_documented_ones) {
  BOOST_TEST(static_cast<int>(ExitCode::kOk) == 0);
  BOOST_TEST(static_cast<int>(ExitCode::kFailure) == 1);
  BOOST_TEST(static_cast<int>(ExitCode::kUsage) == 2);
  BOOST_TEST(static_cast<int>(ExitCode::kDoesNotFit) == 3);
  BOOST_TEST(static_cast<int>(ExitCode::kDiverged) == 4);
  BOOST_TEST(static_cast<int>(ExitCode::kOutOfMemory) == 5);
  BOOST_TEST(static_cast<int>(ExitCode::kInterrupted) == 130);
}

BOOST_AUTO_TEST_CASE(each_kind_of_error_ends_the_program_with_its_code) {
  BOOST_TEST((Error("x").code() == ExitCode::kFailure));
  BOOST_TEST((Error("x", ExitCode::kDiverged).code() == ExitCode::kDiverged));
  BOOST_TEST((IoError("x").code() == ExitCode::kFailure));
  BOOST_TEST((ShapeError("x").code() == ExitCode::kUsage));
  BOOST_TEST((ConfigError({}).code() == ExitCode::kUsage));
}

BOOST_AUTO_TEST_CASE(a_problem_says_what_it_knows_and_nothing_else) {
  BOOST_TEST(to_string({{"plan.yaml", 3, 5}, "training.lr", "is negative", "use 0.001"}) ==
             "plan.yaml:3:5: training.lr: is negative (use 0.001)");
  BOOST_TEST(to_string({{"plan.yaml", 3, 0}, "training.lr", "is negative", ""}) ==
             "plan.yaml:3: training.lr: is negative");
  BOOST_TEST(to_string({{"plan.yaml", 0, 0}, "", "is empty", ""}) == "plan.yaml: is empty");
  BOOST_TEST(to_string({{"", 4, 2}, "training.lr", "is negative", ""}) ==
             "training.lr: is negative");
}

BOOST_AUTO_TEST_CASE(a_problem_is_one_line_whatever_it_quotes) {
  BOOST_TEST(to_string({{"a\nb.yaml", 0, 0}, "k\t", "is '\x1b[31m\x7f'", "é\r"}) ==
             "a\\nb.yaml: k\\t: is '\\x1b[31m\\x7f' (é\\x0d)");
}

BOOST_AUTO_TEST_CASE(a_config_error_shows_all_problems_one_a_line) {
  const ConfigError error({{{"a.yaml", 1, 1}, "x", "unknown key", "did you mean y"},
                           {{"a.yaml", 2, 1}, "z", "unknown key", ""}});
  BOOST_TEST(error.problems().size() == 2u);
  BOOST_TEST(std::string(error.what()) ==
             "a.yaml:1:1: x: unknown key (did you mean y)\na.yaml:2:1: z: unknown key");
}

BOOST_AUTO_TEST_CASE(every_error_is_caught_as_the_base) {
  const auto caught = [](auto thrown) {
    try {
      throw thrown;
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  BOOST_TEST(caught(IoError("a")) == "a");
  BOOST_TEST(caught(ShapeError("b")) == "b");
  BOOST_TEST(caught(ConfigError({{{}, "k", "m", ""}})) == "k: m");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
