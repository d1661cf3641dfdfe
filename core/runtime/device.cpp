#include "core/runtime/device.h"

namespace headroom::runtime {

OutOfMemory::OutOfMemory(std::string_view device, Bytes requested, DeviceMemory memory)
    : Error("out of memory on " + std::string(device) + ": asked for " +
                std::to_string(requested.value()) + " bytes, " +
                std::to_string((memory.capacity - memory.used).value()) + " of " +
                std::to_string(memory.capacity.value()) + " are free",
            ExitCode::kOutOfMemory),
      requested_(requested),
      memory_(memory) {}

}  // namespace headroom::runtime
