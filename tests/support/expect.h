#pragma once

#include "core/describe/error.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace headroom::test {

/// Runs `action`, which must throw exactly `Expected` with `part` in its message.
template <class Expected, class Action>
void expect_error(Action&& action, std::string_view part) {
  try {
    action();
  } catch (const Expected& error) {
    BOOST_TEST(std::string_view(error.what()).find(part) != std::string_view::npos,
               "'" << error.what() << "' does not contain '" << part << "'");
    return;
  } catch (const std::exception& error) {
    BOOST_ERROR("another error was thrown: " << error.what());
    return;
  }
  BOOST_ERROR("nothing was thrown, expected '" << part << "'");
}

}  // namespace headroom::test
