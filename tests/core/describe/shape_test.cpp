#include "core/describe/shape.h"

#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace headroom {
namespace {

constexpr std::int64_t kHuge = 1'000'000'000'000'000'000;  // 10^18

bool mentions(const ShapeError& error, const std::string& text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

BOOST_AUTO_TEST_SUITE(shape)

BOOST_AUTO_TEST_CASE(a_scalar_has_one_element) {
  const Shape scalar;
  BOOST_TEST(scalar.rank() == 0u);
  BOOST_TEST(scalar.numel() == 1);
  BOOST_TEST(scalar.columns() == 1);
  BOOST_TEST(scalar.rows() == 1);
  BOOST_TEST(to_string(scalar) == "()");
}

BOOST_AUTO_TEST_CASE(rows_and_columns_multiply_to_the_number_of_elements) {
  const Shape s{{"batch", 2}, {"seq", 3}, {"hidden", 5}};
  BOOST_TEST(s.rank() == 3u);
  BOOST_TEST(s.numel() == 30);
  BOOST_TEST(s.columns() == 5);
  BOOST_TEST(s.rows() == 6);
  BOOST_TEST(s.back().name == "hidden");
  BOOST_TEST(s[1].size == 3);
  BOOST_TEST(to_string(s) == "(batch 2, seq 3, hidden 5)");
}

BOOST_AUTO_TEST_CASE(dimensions_are_found_by_name) {
  const Shape s{{"batch", 2}, {"hidden", 5}};
  BOOST_TEST(s.find("batch") == 0);
  BOOST_TEST(s.find("hidden") == 1);
  BOOST_TEST(s.find("hid") == -1);
}

BOOST_AUTO_TEST_CASE(equality_reads_names_and_same_sizes_does_not) {
  const Shape a{{"batch", 2}, {"in", 5}}, b{{"batch", 2}, {"out", 5}}, c{{"batch", 2}};
  BOOST_TEST((a == Shape{{"batch", 2}, {"in", 5}}));
  BOOST_TEST(!(a == b));
  BOOST_TEST(a.same_sizes(b));
  BOOST_TEST(!a.same_sizes(c));
  BOOST_TEST(!a.same_sizes(Shape{{"batch", 5}, {"in", 2}}));
}

BOOST_AUTO_TEST_CASE(an_empty_dimension_makes_an_empty_tensor) {
  const Shape s{{"batch", 4}, {"hidden", 0}};
  BOOST_TEST(s.numel() == 0);
  BOOST_TEST(s.rows() == 0);
}

BOOST_AUTO_TEST_CASE(one_dimension_of_a_quintillion_is_counted) {
  BOOST_TEST((Shape{{"batch", kHuge}}.numel()) == kHuge);
  BOOST_TEST((Shape{{"batch", kHuge}, {"hidden", 9}}.numel()) == 9 * kHuge);
  BOOST_TEST((Shape{{"batch", std::numeric_limits<std::int64_t>::max()}, {"one", 1}}.numel()) ==
             std::numeric_limits<std::int64_t>::max());
}

BOOST_AUTO_TEST_CASE(a_product_beyond_63_bits_is_refused_and_both_factors_are_named) {
  // 10^19 is past 2^63 - 1 = 9.22e18; 10^36 is past 2^64 too.
  BOOST_CHECK_EXCEPTION((Shape{{"batch", kHuge}, {"hidden", 10}}), ShapeError,
                        [](const auto& e) { return mentions(e, "1000000000000000000 x 10"); });
  BOOST_CHECK_THROW((Shape{{"batch", kHuge}, {"hidden", kHuge}}), ShapeError);
  // 2^32 * 2^32 wraps to 0 when nobody looks.
  BOOST_CHECK_THROW((Shape{{"a", std::int64_t{1} << 32}, {"b", std::int64_t{1} << 32}}),
                    ShapeError);
}

BOOST_AUTO_TEST_CASE(a_refused_dimension_leaves_the_shape_as_it_was) {
  Shape s{{"batch", kHuge}};
  BOOST_CHECK_THROW(s.append({"hidden", kHuge}), ShapeError);
  BOOST_TEST(s.rank() == 1u);
  BOOST_TEST(s.numel() == kHuge);
}

BOOST_AUTO_TEST_CASE(a_negative_size_is_refused_by_name) {
  BOOST_CHECK_EXCEPTION((Shape{{"batch", -1}}), ShapeError,
                        [](const auto& e) { return mentions(e, "batch") && mentions(e, "-1"); });
}

BOOST_AUTO_TEST_CASE(the_ninth_dimension_is_refused) {
  Shape s;
  for (std::size_t i = 0; i < Shape::kMaxRank; ++i) s.append({"d", 2});
  BOOST_TEST(s.numel() == 256);
  BOOST_CHECK_THROW(s.append({"d", 1}), ShapeError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
