#pragma once

#include <string>

namespace headroom::runtime {

/// Why GPU number `index` cannot be used, and what to do about it; empty if it can.
[[nodiscard]] std::string why_unusable(int index);

/// `13.0` for 13000, the way CUDA numbers its versions.
[[nodiscard]] std::string cuda_version(int number);

}  // namespace headroom::runtime
