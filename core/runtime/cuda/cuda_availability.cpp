#include "core/runtime/cuda/cuda_availability.h"

#include "core/runtime/cuda/cuda_kernels.h"

#include <cuda_runtime_api.h>

#include <cstdlib>

namespace headroom::runtime {
namespace {

/// First driver branch for the toolkit this was built with.
/// Source: NVIDIA, CUDA Toolkit release notes, minimum required driver version for minor version
/// compatibility.
constexpr int kDriverBranch = CUDART_VERSION >= 13000 ? 580 : 525;

std::string meaning(cudaError_t code) {
  return std::string(cudaGetErrorString(code)) + " (" + cudaGetErrorName(code) + ", code " +
         std::to_string(code) + ")";
}

std::string driver_advice() {
  return "install an NVIDIA driver of branch " + std::to_string(kDriverBranch) + " or newer";
}

std::string why_no_driver(int driver) {
  const std::string needed = cuda_version(CUDART_VERSION / 1000 * 1000);
  if (driver == 0) {
    return "no NVIDIA driver was found (libcuda.so.1), and this build needs one for CUDA " +
           needed + ": " + driver_advice() +
           "; in a container, also pass the GPU through (for example docker run --gpus all)";
  }
  return "the NVIDIA driver is too old: it supports CUDA " + cuda_version(driver) +
         " and this build needs " + needed + "; " + driver_advice() +
         ", or build with a CUDA toolkit that the driver supports";
}

std::string why_no_device() {
  std::string text = "the NVIDIA driver shows no GPU to this program; ";
  // Read while a device is being opened, before any thread is started.
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr) {
    return text + "CUDA_VISIBLE_DEVICES is \"" + visible + "\": unset it or name a GPU that exists";
  }
  return text +
         "check that nvidia-smi lists one, and pass it through to the container if this "
         "runs in one";
}

std::string why_not_counted(cudaError_t code, int driver) {
  switch (code) {
    case cudaErrorInsufficientDriver:
      return why_no_driver(driver);
    case cudaErrorNoDevice:
      return why_no_device();
    case cudaErrorStubLibrary:
      return "the CUDA driver that was found is the toolkit's stub, made for linking only; take "
             "the toolkit's stubs folder out of LD_LIBRARY_PATH";
    default:
      return "the CUDA runtime does not start: " + meaning(code) +
             "; check that nvidia-smi works and that the driver was not updated without a restart";
  }
}

std::string why_no_code(int index, cudaError_t code) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) return meaning(code);
  const std::string number =
      std::to_string(properties.major) + "." + std::to_string(properties.minor);
  const std::string architecture =
      std::to_string(properties.major) + std::to_string(properties.minor);
  std::string text = "GPU " + std::to_string(index) + " (" + properties.name +
                     ", compute capability " + number + ") ";
  if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorInvalidDeviceFunction) {
    return text + "cannot run kernels: " + meaning(code);
  }
  return text +
         "is not one this build has code for (" HEADROOM_CUDA_CODE
         "); configure it with -DHEADROOM_CUDA_ARCHITECTURES=" +
         architecture + " and build again";
}

}  // namespace

std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string why_unusable(int index) {
  int driver = 0;
  int count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  cudaError_t code = cudaGetDeviceCount(&count);
  // Whatever is found here is told; it must not surface again in a later call.
  static_cast<void>(cudaGetLastError());
  if (code != cudaSuccess) return why_not_counted(code, driver);
  if (count == 0) return why_no_device();
  if (index < 0 || index >= count) {
    return "there is no GPU number " + std::to_string(index) + ": " + std::to_string(count) +
           (count == 1 ? " is" : " are") + " visible, counted from 0";
  }
  code = cudaSetDevice(index);
  if (code == cudaSuccess) code = probe_kernel_image();
  static_cast<void>(cudaGetLastError());
  return code == cudaSuccess ? "" : why_no_code(index, code);
}

}  // namespace headroom::runtime
