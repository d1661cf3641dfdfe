#include "core/io/machine.h"

#include <unistd.h>

namespace headroom::io {

Bytes machine_memory() {
  return Bytes(static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE));
}

}  // namespace headroom::io
