#include "core/describe/plan_value.h"

#include "tests/core/describe/plan_trees.h"

#include <boost/test/unit_test.hpp>

namespace headroom {
namespace {

using test::list;
using test::quoted;
using test::scalar;

ValueReading read(std::string_view path, const ConfigNode& node) {
  return read_value(*find_key(path), node);
}

BOOST_AUTO_TEST_SUITE(plan_value)

BOOST_AUTO_TEST_CASE(whole_numbers_in_usual_spellings) {
  const std::pair<std::string, std::int64_t> cases[] = {
      {"12", 12},      {"+12", 12}, {"1e6", 1000000},
      {"1.5e3", 1500}, {"2.0", 2},  {"1_000_000", 1000000},
  };
  for (const auto& [text, number] : cases) {
    const ValueReading reading = read("training.max_steps", scalar(text));
    BOOST_TEST(reading.problem == "");
    BOOST_TEST((reading.value == KeyValue(number)), text);
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_a_whole_number_is_shown) {
  for (const std::string text :
       {"1.5", "12x", "0x10", "", "ten", "1e", "--3", "nan", "inf", "_1"}) {
    const ValueReading reading = read("model.dim", scalar(text));
    BOOST_TEST(reading.problem == "expected a whole number, got '" + text + "'");
    BOOST_TEST(std::holds_alternative<std::monostate>(reading.value));
  }
  BOOST_TEST(read("model.dim", quoted("3")).problem == "expected a whole number, got the text '3'");
  BOOST_TEST(read("model.dim", quoted("3")).hint == "leave out the quotes");
  BOOST_TEST(read("model.dim", list({"3"})).problem == "expected a whole number, got a list");
}

BOOST_AUTO_TEST_CASE(numbers_beyond_every_limit_are_too_large_not_garbage) {
  for (const std::string text :
       {"1000000000000000000", "10000000000000000000000000000", "1e18", "1e300"}) {
    const ValueReading reading = read("model.dim", scalar(text));
    BOOST_TEST(reading.problem.find("is too large: must be") != std::string::npos, text);
  }
  BOOST_TEST(read("training.max_tokens", scalar("15e12")).problem == "");
}

BOOST_AUTO_TEST_CASE(reals) {
  BOOST_TEST((read("training.optimizer.lr", scalar("3e-4")).value == KeyValue(3e-4)));
  BOOST_TEST((read("training.optimizer.lr", scalar("1")).value == KeyValue(1.0)));
  BOOST_TEST((read("training.optimizer.lr", scalar(".5")).value == KeyValue(0.5)));
  BOOST_TEST(read("training.optimizer.lr", scalar("fast")).problem ==
             "expected a number, got 'fast'");
  BOOST_TEST(read("training.optimizer.lr", scalar("-1")).problem ==
             "-1 is too small: must be at least 0");
  BOOST_TEST(!read("training.optimizer.lr", scalar("1e999")).problem.empty());
}

BOOST_AUTO_TEST_CASE(switches) {
  for (const std::string on : {"true", "True", "yes", "ON"}) {
    BOOST_TEST((read("model.bias", scalar(on)).value == KeyValue(true)));
  }
  for (const std::string off : {"false", "no", "Off"}) {
    BOOST_TEST((read("model.bias", scalar(off)).value == KeyValue(false)));
  }
  BOOST_TEST(read("model.bias", scalar("1")).problem == "expected true or false, got '1'");
  BOOST_TEST(!read("model.bias", quoted("true")).problem.empty());
}

BOOST_AUTO_TEST_CASE(words_their_other_spellings_and_near_misses) {
  const ValueReading exact = read("training.precision", scalar("bf16-mixed"));
  BOOST_TEST((exact.value == KeyValue(std::string("bf16-mixed"))));
  BOOST_TEST(exact.note == "");
  for (const std::string other : {"bf16", "BF16-Mixed", "bf16_mixed", "bfloat16"}) {
    const ValueReading reading = read("training.precision", scalar(other));
    BOOST_TEST((reading.value == KeyValue(std::string("bf16-mixed"))), other);
    BOOST_TEST(reading.note == "'" + other + "' is read as bf16-mixed");
  }
  BOOST_TEST((read("model.loss", quoted("cross-entropy")).value ==
              KeyValue(std::string("cross_entropy"))));
  const ValueReading near = read("training.optimizer.name", scalar("adagard"));
  BOOST_TEST(near.problem ==
             "'adagard' is not known: must be one of sgd, adagrad, rmsprop, adam, adamw");
  BOOST_TEST(near.hint == "did you mean adagrad?");
  BOOST_TEST(read("training.optimizer.name", scalar("lion")).hint == "");
}

BOOST_AUTO_TEST_CASE(lists) {
  BOOST_TEST((read("model.hidden_sizes", list({"64", "32"})).value ==
              KeyValue(std::vector<std::int64_t>{64, 32})));
  BOOST_TEST((read("model.hidden_sizes", list({})).value == KeyValue(std::vector<std::int64_t>{})));
  BOOST_TEST(read("model.hidden_sizes", scalar("64")).problem ==
             "expected a list of whole numbers such as [64, 64], got '64'");
  BOOST_TEST(!read("model.hidden_sizes", list({"64", "x"})).problem.empty());
  BOOST_TEST(read("model.hidden_sizes", list({"64", "0"})).problem ==
             "0 is too small: must be at least 1");
  BOOST_TEST((read("training.optimizer.betas", list({"0.9", "0.95"})).value ==
              KeyValue(std::vector<double>{0.9, 0.95})));
}

BOOST_AUTO_TEST_CASE(nothing_is_not_a_value) {
  const ValueReading reading = read("model.dim", ConfigNode{});
  BOOST_TEST(reading.problem == "has no value: expected a whole number");
}

BOOST_AUTO_TEST_CASE(long_and_unprintable_text_stays_one_short_line) {
  const ValueReading reading = read("model.dim", scalar(std::string(5000, 'a') + '\n'));
  BOOST_TEST(reading.problem.size() < 120u);
  BOOST_TEST(read("model.dim", scalar("a\nb\x1b")).problem ==
             "expected a whole number, got 'a?b?'");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
