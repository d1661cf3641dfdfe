#include "core/describe/format.h"

#include <boost/test/unit_test.hpp>

#include <limits>

namespace headroom {
namespace {

BOOST_AUTO_TEST_CASE(bytes_use_powers_of_1024) {
  BOOST_TEST(format_bytes(Bytes(0)) == "0 B");
  BOOST_TEST(format_bytes(Bytes(1023)) == "1023 B");
  BOOST_TEST(format_bytes(Bytes(1024)) == "1.00 KiB");
  BOOST_TEST(format_bytes(Bytes(128LL << 10)) == "128 KiB");
  BOOST_TEST(format_bytes(Bytes(85520809984)) == "79.6 GiB");  // 81559 MiB, an H100
  BOOST_TEST(format_bytes(Bytes(-(3LL << 30))) == "-3.00 GiB");
  BOOST_TEST(format_bytes_decimal(Bytes(80'000'000'000)) == "80.0 GB");
}

BOOST_AUTO_TEST_CASE(counts) {
  BOOST_TEST(format_count(0) == "0");
  BOOST_TEST(format_count(999) == "999");
  BOOST_TEST(format_count(8393728) == "8,393,728");
  BOOST_TEST(format_count(-1000) == "-1,000");
  BOOST_TEST(format_short_count(124439808) == "124 M");
  BOOST_TEST(format_short_count(8.03e9) == "8.03 B");
}

BOOST_AUTO_TEST_CASE(flops_and_times) {
  BOOST_TEST(format_flops(Flops(3.14e23)) == "3.14e+23 FLOP");
  BOOST_TEST(format_flops(Flops(12.9e9)) == "12.9 GFLOP");
  BOOST_TEST(format_rate(FlopsPerSecond(989.5e12)) == "990 TFLOP/s");
  BOOST_TEST(format_seconds(Seconds(0.00031)) == "310 us");
  BOOST_TEST(format_seconds(Seconds(0.0124)) == "12.4 ms");
  BOOST_TEST(format_seconds(Seconds(3.2)) == "3.20 s");
  BOOST_TEST(format_seconds(Seconds(312)) == "5 min 12 s");
  BOOST_TEST(format_seconds(Seconds(12000)) == "3 h 20 min");
  BOOST_TEST(format_seconds(Seconds(12.5 * 86400)) == "12.5 days");
}

BOOST_AUTO_TEST_CASE(times_of_years_and_values_without_end) {
  constexpr double kYear = 365.25 * 86400;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  BOOST_TEST(format_seconds(Seconds(700 * 86400.0)) == "700 days");
  BOOST_TEST(format_seconds(Seconds(3.2 * kYear)) == "3.20 years");
  BOOST_TEST(format_seconds(Seconds(450 * kYear)) == "450 years");
  BOOST_TEST(format_seconds(Seconds(25000 * kYear)) == "25,000 years");
  BOOST_TEST(format_seconds(Seconds(4.1e9 * kYear)) == "4.1e+09 years");
  BOOST_TEST(format_seconds(Seconds(1e300)) == "3.2e+292 years");
  BOOST_TEST(format_seconds(Seconds(kInfinity)) == "inf s");
  BOOST_TEST(format_usd(Usd(1e12)) == "$1,000,000,000,000");
  BOOST_TEST(format_usd(Usd(3e22)) == "$3.00e+22");
  BOOST_TEST(format_short_count(9e15) == "9000 T");
  BOOST_TEST(format_short_count(5e20) == "5.00e+20");
}

BOOST_AUTO_TEST_CASE(a_nan_has_no_sign) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(format_value(-nan, 6) == "nan");
  BOOST_TEST(format_value(-std::numeric_limits<double>::infinity(), 6) == "-inf");
  BOOST_TEST(format_value(0.123456789, 5) == "0.12346");
  BOOST_TEST(format_seconds(Seconds(-nan)) == "nan s");
  BOOST_TEST(format_percent(-nan) == "nan%");
}

BOOST_AUTO_TEST_CASE(one_thing_and_several) {
  BOOST_TEST(format_counted(0, "step") == "0 steps");
  BOOST_TEST(format_counted(1, "step") == "1 step");
  BOOST_TEST(format_counted(12345, "input column") == "12,345 input columns");
}

BOOST_AUTO_TEST_CASE(money_and_shares) {
  BOOST_TEST(format_usd(Usd(0.0042)) == "$0.0042");
  BOOST_TEST(format_usd(Usd(12.3)) == "$12.30");
  BOOST_TEST(format_usd(Usd(1250)) == "$1,250");
  BOOST_TEST(format_percent(0.542) == "54.2%");
  BOOST_TEST(format_error(0) == "+0.00%");
  BOOST_TEST(format_error(-0.0125) == "-1.25%");
}

}  // namespace
}  // namespace headroom
