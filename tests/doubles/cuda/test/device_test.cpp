#include "tests/doubles/cuda/test/double_test.h"

#include <cstdlib>

namespace headroom::cuda_double {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = -1;
  BOOST_TEST(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
  return value;
}

BOOST_AUTO_TEST_SUITE(device)

BOOST_AUTO_TEST_CASE(a_machine_without_a_device_says_so) {
  const FreshDouble fresh("devices=0");
  int count = -1;
  BOOST_TEST(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
  BOOST_TEST(count == 0);
  void* pointer = nullptr;
  BOOST_TEST(cudaMalloc(&pointer, 16) == cudaErrorNoDevice);
  BOOST_TEST(cudaGetErrorName(cudaGetLastError()) == std::string("cudaErrorNoDevice"));
  int version = 0;
  BOOST_TEST(cudaDriverGetVersion(&version) == cudaSuccess);
  BOOST_TEST(version == 13000);
  BOOST_TEST(clean());  // a missing device is no fault of the caller
}

BOOST_AUTO_TEST_CASE(an_old_or_missing_driver_says_so) {
  for (const auto& [spec, expected] : {std::pair{"driver=12080", 12080}, {"driver=none", 0}}) {
    const FreshDouble fresh(spec);
    int count = -1;
    int version = -1;
    BOOST_TEST(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
    BOOST_TEST(static_cast<int>(cudaErrorInsufficientDriver) == 35);
    BOOST_TEST(count == 0);
    BOOST_TEST(cudaSetDevice(0) == cudaErrorInsufficientDriver);
    BOOST_TEST(cudaDriverGetVersion(&version) == cudaSuccess);
    BOOST_TEST(version == expected);
    BOOST_TEST(cudaRuntimeGetVersion(&version) == cudaSuccess);
    BOOST_TEST(version == CUDART_VERSION);
  }
}

BOOST_AUTO_TEST_CASE(properties_and_attributes_agree_with_the_configuration) {
  const FreshDouble fresh("devices=2,cc=8.6,sms=84,memory=24GiB");
  int count = 0;
  BOOST_TEST(cudaGetDeviceCount(&count) == cudaSuccess);
  BOOST_TEST(count == 2);
  cudaDeviceProp prop{};
  BOOST_TEST(cudaGetDeviceProperties(&prop, 1) == cudaSuccess);
  BOOST_TEST(prop.major == 8);
  BOOST_TEST(prop.minor == 6);
  BOOST_TEST(prop.multiProcessorCount == 84);
  BOOST_TEST(prop.totalGlobalMem == std::size_t{24} << 30);
  BOOST_TEST(attribute(cudaDevAttrComputeCapabilityMajor) == prop.major);
  BOOST_TEST(attribute(cudaDevAttrComputeCapabilityMinor) == prop.minor);
  BOOST_TEST(attribute(cudaDevAttrMultiProcessorCount) == prop.multiProcessorCount);
  BOOST_TEST(attribute(cudaDevAttrMaxThreadsPerBlock) == prop.maxThreadsPerBlock);
  BOOST_TEST(attribute(cudaDevAttrWarpSize) == prop.warpSize);
  BOOST_TEST(cudaSetDevice(2) == cudaErrorInvalidDevice);
  BOOST_TEST(violated("device 2 of 2"));
}

BOOST_AUTO_TEST_CASE(each_device_has_its_own_memory) {
  const FreshDouble fresh("devices=2,memory=1GiB,context=0");
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  void* pointer = nullptr;
  BOOST_TEST(cudaMalloc(&pointer, std::size_t{1} << 30) == cudaSuccess);
  BOOST_TEST(cudaSetDevice(1) == cudaSuccess);
  BOOST_TEST(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess);
  BOOST_TEST(free_bytes == std::size_t{1} << 30);
  BOOST_TEST(cudaFree(pointer) == cudaSuccess);
}

BOOST_AUTO_TEST_CASE(the_last_error_is_kept_until_it_is_read) {
  const FreshDouble fresh;
  BOOST_TEST(cudaSetDevice(7) == cudaErrorInvalidDevice);
  void* pointer = nullptr;
  BOOST_TEST(cudaMalloc(&pointer, 8) == cudaSuccess);
  BOOST_TEST(cudaFree(pointer) == cudaSuccess);
  BOOST_TEST(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  BOOST_TEST(cudaGetLastError() == cudaErrorInvalidDevice);
  BOOST_TEST(cudaGetLastError() == cudaSuccess);
  BOOST_TEST(cudaGetErrorString(cudaErrorInvalidDevice) == std::string("invalid device ordinal"));
  BOOST_TEST(cudaGetErrorName(static_cast<cudaError_t>(12345)) ==
             std::string("unrecognized error code"));
}

BOOST_AUTO_TEST_CASE(a_wrong_configuration_changes_nothing_and_says_why) {
  const FreshDouble fresh("sms=10");
  for (const auto& [spec, reason] :
       {std::pair<const char*, const char*>{"sms=11,colour=red", "colour: unknown key"},
        {"memory=8GB", "memory=8GB: expected bytes such as"},
        {"memory=-1", "expected bytes"},
        {"memory=99999999999TiB", "expected bytes"},
        {"order=first", "latest, oldest or random:SEED"},
        {"races", "expected key=value"},
        {"races=maybe", "on or off"},
        {"cc=9", "compute capability"},
        {"poison=256", "0 to 255"},
        {"memory=1GiB,context=2GiB", "larger than memory"}}) {
    BOOST_TEST(cuda_double_configure(spec) == -1);
    BOOST_TEST(std::string(cuda_double_configure_error()).find(reason) != std::string::npos);
  }
  BOOST_TEST(attribute(cudaDevAttrMultiProcessorCount) == 10);
}

BOOST_AUTO_TEST_CASE(the_environment_configures_a_fresh_double) {
  const FreshDouble fresh;
  setenv("HEADROOM_CUDA_DOUBLE", "devices=3,cc=10.0", 1);
  cuda_double_reset();
  int count = 0;
  BOOST_TEST(cudaGetDeviceCount(&count) == cudaSuccess);
  BOOST_TEST(count == 3);
  BOOST_TEST(attribute(cudaDevAttrComputeCapabilityMajor) == 10);
  const Death death = run_apart([] {
    setenv("HEADROOM_CUDA_DOUBLE", "devcies=3", 1);
    cuda_double_reset();
  });
  BOOST_TEST(death.faulted);
  BOOST_TEST(death.message.find("devcies: unknown key") != std::string::npos);
  unsetenv("HEADROOM_CUDA_DOUBLE");
}

BOOST_AUTO_TEST_CASE(the_first_violation_can_end_the_process) {
  const FreshDouble fresh;
  const Death death = run_apart([] {
    cuda_double_configure("abort=on");
    cudaSetDevice(5);
  });
  BOOST_TEST(death.faulted);
  BOOST_TEST(death.message.find("violation: cudaSetDevice: device 5 of 1") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::cuda_double
