#include "core/runtime/cuda/cuda_loader.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace headroom::runtime {
namespace {

constexpr const char* kLibrary = "libheadroom_cuda.so";
constexpr const char* kEntry = "headroom_open_cuda_device";

/// The library the user named, if any.
const char* named_library() {
  // Read once, before any thread is started.
  return std::getenv("HEADROOM_CUDA_BACKEND");
}

/// That one, or the one beside the running program.
std::filesystem::path library_path() {
  if (const char* named = named_library()) return named;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto folder = program.parent_path();
  for (const auto& candidate : {folder / kLibrary, folder / ".." / "lib" / "headroom" / kLibrary}) {
    if (std::filesystem::exists(candidate, error)) return candidate;
  }
  return folder / kLibrary;
}

}  // namespace

CudaAttempt open_cuda_device(int index) {
  const std::filesystem::path path = library_path();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return {nullptr, "this build has no CUDA backend (" + path.string() +
                         " is missing); build with the CUDA toolkit installed (preset cuda)"};
  }
  // Asked before the backend is loaded, because cuBLASLt costs 100 MB of memory whether or not
  // there is a GPU. Who names a library decides what it needs.
  if (named_library() == nullptr && ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) == nullptr) {
    return {nullptr,
            "no NVIDIA driver was found (libcuda.so.1): install the driver of the GPU; in a "
            "container, also pass the GPU through (for example docker run --gpus all)"};
  }
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {nullptr, "the CUDA backend cannot be loaded: " + std::string(::dlerror()) +
                         "; install the CUDA runtime libraries it was built for"};
  }
  void* entry = ::dlsym(library, kEntry);
  if (entry == nullptr) {
    return {nullptr, path.string() + " is not a Headroom CUDA backend: it has no " + kEntry};
  }
  std::array<char, 512> reason{};
  auto* open = reinterpret_cast<OpenCudaDevice>(entry);
  std::unique_ptr<Device> device(open(index, reason.data(), reason.size()));
  if (device == nullptr) return {nullptr, reason.data()};
  return {std::move(device), ""};
}

}  // namespace headroom::runtime
