#pragma once

#include "core/runtime/cpu/cpu_backend.h"

#include <memory>

namespace headroom::runtime {

/// This machine's processor. `threads` 0 means all cores the process may use.
/// Warms up the thread pool and OpenBLAS's buffers, so that they are counted before any tensor.
[[nodiscard]] std::unique_ptr<Device> make_cpu_device(int threads, bool strict);

/// Resident anonymous memory of this process, as /proc/self/status counts it (RssAnon).
[[nodiscard]] Bytes resident_anonymous_memory();

}  // namespace headroom::runtime
