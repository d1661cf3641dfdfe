// Devices, versions and errors.
#include "tests/doubles/cuda/api.h"

#include <cstdio>
#include <cstring>

namespace headroom::cuda_double {
namespace {

constexpr int kClockKhz = 1'980'000;
constexpr int kMemoryClockKhz = 2'619'000;
constexpr int kBusBits = 5120;
constexpr int kL2Bytes = 50 << 20;

cudaError_t check_device(const Call& call, int device) {
  if (device >= 0 && device < call.rt.config.devices) return cudaSuccess;
  return call.fail(cudaErrorInvalidDevice, "device " + std::to_string(device) + " of " +
                                               std::to_string(call.rt.config.devices));
}

/// The H100 figures that programs ask for; memory, capability and multiprocessors are configured.
void fill(cudaDeviceProp& prop, const Config& config) {
  prop = {};
  std::snprintf(prop.name, sizeof(prop.name), "Headroom CUDA test double");
  prop.totalGlobalMem = config.memory;
  prop.sharedMemPerBlock = 48 << 10;
  prop.regsPerBlock = 65536;
  prop.warpSize = 32;
  prop.memPitch = 2147483647;
  prop.maxThreadsPerBlock = 1024;
  prop.maxThreadsDim[0] = 1024;
  prop.maxThreadsDim[1] = 1024;
  prop.maxThreadsDim[2] = 64;
  prop.maxGridSize[0] = 2147483647;
  prop.maxGridSize[1] = 65535;
  prop.maxGridSize[2] = 65535;
  prop.totalConstMem = 64 << 10;
  prop.major = config.cc_major;
  prop.minor = config.cc_minor;
  prop.multiProcessorCount = config.sms;
  prop.canMapHostMemory = 1;
  prop.concurrentKernels = 1;
  prop.ECCEnabled = 1;
  prop.asyncEngineCount = 3;
  prop.unifiedAddressing = 1;
  prop.memoryBusWidth = kBusBits;
  prop.l2CacheSize = kL2Bytes;
  prop.maxThreadsPerMultiProcessor = 2048;
  prop.streamPrioritiesSupported = 1;
  prop.sharedMemPerMultiprocessor = 228 << 10;
  prop.regsPerMultiprocessor = 65536;
  prop.sharedMemPerBlockOptin = 227 << 10;
  prop.maxBlocksPerMultiProcessor = 32;
  prop.reservedSharedMemPerBlock = 1 << 10;
  prop.hostRegisterSupported = 1;
  prop.memoryPoolsSupported = 1;
  prop.hostNumaId = -1;
}

bool attribute_value(const Config& config, cudaDeviceAttr attribute, int& value) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      value = 1024;
      return true;
    case cudaDevAttrMaxBlockDimZ:
      value = 64;
      return true;
    case cudaDevAttrMaxGridDimX:
      value = 2147483647;
      return true;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      value = 65535;
      return true;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      value = 48 << 10;
      return true;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      value = 227 << 10;
      return true;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      value = 228 << 10;
      return true;
    case cudaDevAttrWarpSize:
      value = 32;
      return true;
    case cudaDevAttrMultiProcessorCount:
      value = config.sms;
      return true;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      value = 2048;
      return true;
    case cudaDevAttrComputeCapabilityMajor:
      value = config.cc_major;
      return true;
    case cudaDevAttrComputeCapabilityMinor:
      value = config.cc_minor;
      return true;
    case cudaDevAttrClockRate:
      value = kClockKhz;
      return true;
    case cudaDevAttrMemoryClockRate:
      value = kMemoryClockKhz;
      return true;
    case cudaDevAttrGlobalMemoryBusWidth:
      value = kBusBits;
      return true;
    case cudaDevAttrL2CacheSize:
      value = kL2Bytes;
      return true;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrEccEnabled:
      value = 1;
      return true;
    case cudaDevAttrAsyncEngineCount:
      value = 3;
      return true;
    case cudaDevAttrIntegrated:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrCooperativeLaunch:
      value = 0;
      return true;
    default:
      return false;
  }
}

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* find_error(cudaError_t error) {
  for (const ErrorText& entry : kErrors) {
    if (entry.error == error) return &entry;
  }
  return nullptr;
}

}  // namespace
}  // namespace headroom::cuda_double

using namespace headroom::cuda_double;  // NOLINT: the C functions below are the file's purpose

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  const Call call("cudaGetDeviceCount");
  if (count == nullptr) {
    return remember(call.fail(cudaErrorInvalidValue, "null result pointer"));
  }
  const cudaError_t ready = call.readiness();
  *count = ready == cudaSuccess ? call.rt.config.devices : 0;
  return remember(ready);
}

cudaError_t cudaSetDevice(int device) {
  return device_call("cudaSetDevice", [&](const Call& call) {
    const cudaError_t error = check_device(call, device);
    if (error == cudaSuccess) thread_state().device = device;
    return error;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return device_call("cudaGetDevice", [&](const Call& call) {
    if (device == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
    *device = thread_state().device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return device_call("cudaGetDeviceProperties", [&](const Call& call) {
    if (prop == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
    const cudaError_t error = check_device(call, device);
    if (error == cudaSuccess) fill(*prop, call.rt.config);
    return error;
  });
}

// The name under which headers of CUDA 12 refer to the function; the structures differ, so only the
// present toolkit's layout can be served.
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* prop, int device) {
  return cudaGetDeviceProperties(prop, device);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return device_call("cudaDeviceGetAttribute", [&](const Call& call) {
    if (value == nullptr) return call.fail(cudaErrorInvalidValue, "null result pointer");
    const cudaError_t error = check_device(call, device);
    if (error != cudaSuccess) return error;
    if (attribute_value(call.rt.config, attribute, *value)) return cudaSuccess;
    return call.fail(cudaErrorInvalidValue,
                     "attribute " + std::to_string(attribute) + " is not modelled");
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return device_call("cudaDeviceGetPCIBusId", [&](const Call& call) {
    if (text == nullptr || length < 13) {
      return call.fail(cudaErrorInvalidValue, "the text needs 13 bytes");
    }
    const cudaError_t error = check_device(call, device);
    if (error != cudaSuccess) return error;
    std::snprintf(text, static_cast<size_t>(length), "0000:%02X:00.0",
                  static_cast<unsigned>(device) & 0xFFU);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  return device_call("cudaDeviceReset", [&](const Call& call) {
    for (int device = 0; device < call.rt.config.devices; ++device) {
      call.rt.scheduler->synchronise_device(device);
    }
    const std::vector<std::string> lost = leaks();
    if (!lost.empty()) {
      return call.fail(cudaErrorInvalidValue,
                       "something is still alive and would dangle: " + lost.front());
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  const Call call("cudaDriverGetVersion");
  if (version == nullptr) {
    return remember(call.fail(cudaErrorInvalidValue, "null result pointer"));
  }
  *version = call.rt.config.driver_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  const Call call("cudaRuntimeGetVersion");
  if (version == nullptr) {
    return remember(call.fail(cudaErrorInvalidValue, "null result pointer"));
  }
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  ThreadState& state = thread_state();
  const cudaError_t error = state.last_error;
  state.last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return thread_state().last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* entry = find_error(error);
  return entry != nullptr ? entry->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* entry = find_error(error);
  return entry != nullptr ? entry->text : "unrecognized error code";
}

}  // extern "C"
