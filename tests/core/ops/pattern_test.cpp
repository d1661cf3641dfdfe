#include "core/ops/pattern.h"

#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

#include <array>

namespace headroom::test {
namespace {

using ops::parse_pattern;
using ops::Pattern;

BOOST_AUTO_TEST_SUITE(pattern)

std::string message_of(std::string_view text) {
  try {
    (void)parse_pattern("einsum", text);
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

BOOST_AUTO_TEST_CASE(reads_the_form_of_the_notes) {
  const Pattern p =
      parse_pattern("einsum", "batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2");
  BOOST_TEST(p.names == (std::vector<std::string>{"batch", "seq1", "hidden", "seq2"}));
  BOOST_REQUIRE_EQUAL(p.inputs.size(), 2U);
  const auto is = [](const Pattern::Labels& labels, std::vector<int> expected) {
    BOOST_REQUIRE_EQUAL(labels.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) BOOST_CHECK_EQUAL(labels[i], expected[i]);
  };
  is(p.inputs[0], {0, 1, 2});
  is(p.inputs[1], {0, 3, 2});
  is(p.output, {0, 1, 3});
}

BOOST_AUTO_TEST_CASE(spaces_do_not_matter_and_scalars_are_empty) {
  BOOST_CHECK_EQUAL(parse_pattern("einsum", "  a   b,b->a ").inputs.size(), 2U);
  BOOST_CHECK_EQUAL(parse_pattern("einsum", ", i j -> i j").inputs[0].size(), 0U);
  BOOST_CHECK_EQUAL(parse_pattern("einsum", "k, k ->").output.size(), 0U);
}

BOOST_AUTO_TEST_CASE(says_where_a_pattern_is_wrong) {
  BOOST_TEST(message_of("a b, b -> c") ==
             "[einsum] \"a b, b -> c\", position 11: 'c' is not a dimension of any input");
  BOOST_TEST(message_of("a a -> a").find("position 3: 'a' appears twice") != std::string::npos);
  BOOST_TEST(message_of("a b -> b b").find("position 10: 'b' appears twice") != std::string::npos);
  BOOST_TEST(message_of("a b").find("position 4: the arrow '->'") != std::string::npos);
  BOOST_TEST(message_of("").find("position 1: the arrow '->'") != std::string::npos);
  BOOST_TEST(message_of("a -> a -> a").find("position 8: a second arrow") != std::string::npos);
  BOOST_TEST(message_of("a, b, c -> a").find("position 9: at most 2 inputs") != std::string::npos);
  BOOST_TEST(message_of("a -> a, a").find("position 7: there is one output") != std::string::npos);
  BOOST_TEST(message_of("a (b c) -> a").find("position 3: '(' is not part") != std::string::npos);
  BOOST_TEST(message_of("a - b").find("position 3: '-' is not part") != std::string::npos);
  BOOST_TEST(message_of("a b c d e f g h i -> a").find("position 17: an operand has at most 8") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(binds_sizes_and_names_what_disagrees) {
  const Pattern p = parse_pattern("einsum", "a b, b c -> c a");
  const std::array fits{TensorType{{{"x", 2}, {"y", 3}}, DType::kF32},
                        TensorType{{{"y", 3}, {"z", 4}}, DType::kF32}};
  const Pattern::Sizes sizes = p.bind("einsum", fits);
  BOOST_CHECK(p.output_shape(sizes) == (Shape{{"c", 4}, {"a", 2}}));
  const std::array clashes{fits[0], TensorType{{{"y", 5}, {"z", 4}}, DType::kF32}};
  BOOST_CHECK_EXCEPTION((void)p.bind("einsum", clashes), ShapeError, [](const ShapeError& e) {
    return std::string(e.what()) ==
           "[einsum] dimension b of input 2: got 5, expected 3 as in input 1";
  });
  const std::array rank{fits[0], TensorType{{{"y", 3}}, DType::kF32}};
  BOOST_CHECK_THROW((void)p.bind("einsum", rank), ShapeError);
  BOOST_CHECK_THROW((void)p.bind("einsum", {fits.data(), 1}), ShapeError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::test
