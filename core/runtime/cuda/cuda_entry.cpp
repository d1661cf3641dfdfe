#include "core/runtime/cuda/cuda_availability.h"
#include "core/runtime/cuda/cuda_device.h"

#include <cstdio>
#include <exception>
#include <string>

namespace {

void tell(const std::string& text, char* reason, std::size_t length) {
  if (length > 0) std::snprintf(reason, length, "%s", text.c_str());
}

}  // namespace

/// The one function this library exports; see OpenCudaDevice in cuda_loader.h.
extern "C" __attribute__((visibility("default"))) headroom::runtime::Device*
headroom_open_cuda_device(int index, char* reason, std::size_t length) {
  try {
    const std::string problem = headroom::runtime::why_unusable(index);
    if (problem.empty()) return headroom::runtime::make_cuda_device(index).release();
    tell(problem, reason, length);
  } catch (const std::exception& error) {
    tell("GPU " + std::to_string(index) + " cannot be used: " + error.what(), reason, length);
  }
  return nullptr;
}
