#pragma once

#include <cstdint>

namespace headroom::runtime::rows {

/// A call that all lanes of a team make together: its name, a literal, and its loop length.
struct Collective {
  const char* name;
  std::int64_t n;
};

}  // namespace headroom::runtime::rows
