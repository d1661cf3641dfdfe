#pragma once

#include "core/describe/units.h"

namespace headroom::io {

/// Physical memory of the machine we run on.
[[nodiscard]] Bytes machine_memory();

}  // namespace headroom::io
