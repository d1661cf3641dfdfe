#include "core/describe/units.h"

#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace headroom {
namespace {

using namespace headroom::literals;

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

BOOST_AUTO_TEST_SUITE(units)

BOOST_AUTO_TEST_CASE(units_do_not_mix) {
  static_assert(Addable<Bytes, Bytes>);
  static_assert(!Addable<Bytes, Flops>);
  static_assert(!Addable<Bytes, std::int64_t>);
  static_assert(!std::is_convertible_v<std::int64_t, Bytes>);
  static_assert(!std::is_convertible_v<Bytes, std::int64_t>);
  BOOST_TEST(sizeof(Bytes) == sizeof(std::int64_t));
}

BOOST_AUTO_TEST_CASE(literals_are_powers_of_two) {
  BOOST_TEST((1_KiB).value() == 1024);
  BOOST_TEST((1_MiB).value() == 1048576);
  BOOST_TEST((80_GiB).value() == 85899345920);  // 80 * 2^30
  BOOST_TEST((7_B).value() == 7);
}

BOOST_AUTO_TEST_CASE(arithmetic_within_a_unit_is_plain) {
  Bytes b = 3_KiB;
  b += 1_KiB;
  b -= 2_KiB;
  BOOST_TEST((b == 2_KiB));
  BOOST_TEST((3_B + 4_B == 7_B));
  BOOST_TEST((3_B - 4_B).value() == -1);
  BOOST_TEST((b * 2 == 4_KiB));
  BOOST_TEST((2 * b == 4_KiB));
  BOOST_TEST((1_GiB > 1023_MiB));
}

BOOST_AUTO_TEST_CASE(work_and_rates_give_times) {
  // GPT-3's 3.14e23 FLOPs at one exaFLOP/s: 314000 s.
  BOOST_TEST((Flops(3.14e23) / FlopsPerSecond(1e18)).value() == 314000,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST((Bytes(2000000000000) / BytesPerSecond(2e12)).value() == 1);
  BOOST_TEST((Flops(10) / Seconds(4)).value() == 2.5);
}

BOOST_AUTO_TEST_CASE(round_up_reaches_the_next_multiple) {
  BOOST_TEST((round_up(0_B, 256) == 0_B));
  BOOST_TEST((round_up(1_B, 256) == 256_B));
  BOOST_TEST((round_up(256_B, 256) == 256_B));
  BOOST_TEST((round_up(257_B, 256) == 512_B));
  BOOST_TEST((round_up(5_B, 1) == 5_B));
}

BOOST_AUTO_TEST_CASE(checked_multiply_stops_exactly_where_63_bits_end) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  BOOST_TEST(checked_multiply(0, kMax, "x") == 0);
  BOOST_TEST(checked_multiply(1, kMax, "x") == kMax);
  // 2^63 - 1 = 7 * 1317624576693539401
  BOOST_TEST(checked_multiply(7, 1317624576693539401, "x") == kMax);
  BOOST_CHECK_THROW((void)checked_multiply(7, 1317624576693539402, "x"), ShapeError);
  BOOST_CHECK_EXCEPTION((void)checked_multiply(1'000'000'000'000'000'000, 10, "parameters"),
                        ShapeError, [](const ShapeError& e) {
                          const std::string text = e.what();
                          return text.find("parameters") != std::string::npos &&
                                 text.find("1000000000000000000") != std::string::npos &&
                                 e.code() == ExitCode::kUsage;
                        });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom
