#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace headroom::test {

/// Checks that two lists of numbers agree within `tolerance` times the largest expected magnitude
/// (at least `floor`): sums may run in any order, so rounding scales with the largest term.
inline void check_close(const std::vector<double>& got,
                        const std::vector<double>& expected,
                        double tolerance,
                        const std::string& what,
                        double floor = 1e-30) {
  BOOST_REQUIRE_MESSAGE(got.size() == expected.size(),
                        what << ": got " << got.size() << " values, expected " << expected.size());
  double largest = floor;
  for (double v : expected) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < got.size(); ++i) {
    BOOST_CHECK_MESSAGE(std::abs(got[i] - expected[i]) <= tolerance * largest,
                        what << "[" << i << "]: got " << got[i] << ", expected " << expected[i]
                             << ", off by " << std::abs(got[i] - expected[i]) << ", allowed "
                             << tolerance * largest);
  }
}

/// As check_close, with the tolerance relative to each value on its own.
inline void check_each_close(const std::vector<double>& got,
                             const std::vector<double>& expected,
                             double tolerance,
                             const std::string& what) {
  BOOST_REQUIRE_EQUAL(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    BOOST_CHECK_MESSAGE(std::abs(got[i] - expected[i]) <= tolerance * std::abs(expected[i]),
                        what << "[" << i << "]: got " << got[i] << ", expected " << expected[i]);
  }
}

}  // namespace headroom::test
