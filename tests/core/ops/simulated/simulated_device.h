#pragma once

#include "core/runtime/device.h"

#include <memory>

namespace headroom::test {

/// The CPU device with row programs run as simulated GPU blocks; `forward` is the order in which
/// lanes run between barriers.
[[nodiscard]] std::unique_ptr<runtime::Device> make_simulated_device(bool forward);

}  // namespace headroom::test
