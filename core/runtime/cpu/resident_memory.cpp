#include "core/runtime/cpu/cpu_device.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace headroom::runtime {

// Reads into the stack: measuring memory must not allocate any.
Bytes resident_anonymous_memory() {
  const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return Bytes(0);
  std::array<char, 4096> text{};
  const ssize_t length = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  if (length <= 0) return Bytes(0);
  const char* line = std::strstr(text.data(), "RssAnon:");
  if (line == nullptr) return Bytes(0);
  return Bytes(std::strtoll(line + std::strlen("RssAnon:"), nullptr, 10) * 1024);
}

}  // namespace headroom::runtime
