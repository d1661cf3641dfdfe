#pragma once

#include <string>

namespace headroom::cli {

/// `headroom 0.1.0` and how it was built.
[[nodiscard]] std::string version_text();
/// `headroom 0.1.0`
[[nodiscard]] std::string program_name();

}  // namespace headroom::cli
