#include "core/describe/format.h"

#include <boost/test/unit_test.hpp>

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
