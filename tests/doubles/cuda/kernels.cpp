#include "tests/doubles/cuda/kernels.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace headroom::cuda_double {
namespace {

// Layout of nvcc's embedded code as found in objects of nvcc 13.0; a test compiles for known
// architectures and reads them back.
struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const char* data;
};
constexpr std::uint32_t kWrapperMagic = 0x466243B1;

struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t payload_bytes;
};
constexpr std::uint32_t kHeaderMagic = 0xBA55ED50;

struct Entry {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t unused[3];
  std::uint32_t architecture;
};
constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kElf = 2;

template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

std::string demangle(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

}  // namespace

bool FatBinary::runs_on(int major, int minor) const {
  return std::any_of(codes.begin(), codes.end(), [&](const Code& code) {
    const int device = major * 10 + minor;
    return code.ptx ? code.architecture <= device
                    : code.architecture / 10 == major && code.architecture <= device;
  });
}

FatBinary* Kernels::add_binary(const void* wrapper_address) {
  auto binary = std::make_unique<FatBinary>();
  const auto wrapper = read<Wrapper>(static_cast<const char*>(wrapper_address));
  if (wrapper.magic == kWrapperMagic && read<std::uint32_t>(wrapper.data) == kHeaderMagic) {
    const auto header = read<Header>(wrapper.data);
    const char* position = wrapper.data + header.header_bytes;
    const char* const end = position + header.payload_bytes;
    while (position < end) {
      const auto entry = read<Entry>(position);
      if (entry.kind == kPtx || entry.kind == kElf) {
        binary->codes.push_back({entry.kind == kPtx, static_cast<int>(entry.architecture)});
      }
      position += entry.header_bytes + entry.payload_bytes;
    }
  }
  binaries_.push_back(std::move(binary));
  return binaries_.back().get();
}

void Kernels::remove_binary(FatBinary* binary) {
  std::erase_if(kernels_, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(binaries_, [&](const auto& owned) { return owned.get() == binary; });
}

void Kernels::add(const void* stub, const char* mangled_name, const FatBinary* binary) {
  Kernel& kernel = kernels_[stub];
  kernel.name = demangle(mangled_name);
  kernel.binary = binary;
}

void Kernels::bind(const void* stub, void (*run)(void**, dim3, dim3), std::size_t param_bytes) {
  Kernel& kernel = kernels_[stub];
  kernel.run = run;
  kernel.param_bytes = param_bytes;
}

Kernel* Kernels::find(const void* stub) {
  const auto position = kernels_.find(stub);
  return position == kernels_.end() || position->second.binary == nullptr ? nullptr
                                                                          : &position->second;
}

}  // namespace headroom::cuda_double
