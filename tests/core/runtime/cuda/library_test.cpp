// The CUDA backend as it ships, linked to NVIDIA's libraries.

#define BOOST_TEST_MODULE cuda_library
#include "core/runtime/cuda/cuda_loader.h"
#include "tests/core/runtime/cuda/training_pair.h"

#include <boost/test/unit_test.hpp>
#include <dlfcn.h>

#include <cstdlib>

namespace headroom {
namespace {

runtime::CudaAttempt open() {
  ::setenv("HEADROOM_CUDA_BACKEND", HEADROOM_BACKEND, 1);
  return runtime::open_cuda_device(0);
}

bool has_driver() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY);
  if (driver != nullptr) ::dlclose(driver);
  return driver != nullptr;
}

BOOST_AUTO_TEST_CASE(without_a_gpu_it_says_what_is_missing) {
  const runtime::CudaAttempt attempt = open();
  if (attempt.device != nullptr) {
    BOOST_TEST(attempt.reason == "");
    return;
  }
  BOOST_TEST_MESSAGE(attempt.reason);
  if (has_driver()) {
    BOOST_TEST(attempt.reason.find("GPU") != std::string::npos);
    return;
  }
  BOOST_TEST(attempt.reason ==
             "no NVIDIA driver was found (libcuda.so.1), and this build needs one for CUDA 13.0: "
             "install an NVIDIA driver of branch 580 or newer; in a container, also pass the GPU "
             "through (for example docker run --gpus all)");
}

BOOST_AUTO_TEST_CASE(with_a_gpu_it_trains_as_the_cpu_does) {
  const runtime::CudaAttempt attempt = open();
  if (attempt.device == nullptr) {
    BOOST_TEST_MESSAGE("skipped: " << attempt.reason);
    return;
  }
  for (const test::NamedPlan& named : test::training_plans()) {
    check_agreement(named, *attempt.device, DType::kF32, 3, 1e-4);
    check_agreement(named, *attempt.device, DType::kF64, 3, 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(without_a_driver_the_library_is_not_even_loaded) {
  ::unsetenv("HEADROOM_CUDA_BACKEND");
  // Without a name it is looked for beside this program, where the build puts it.
  const runtime::CudaAttempt attempt = runtime::open_cuda_device(0);
  if (has_driver()) {
    BOOST_TEST((attempt.device != nullptr) == attempt.reason.empty());
    return;
  }
  BOOST_TEST(attempt.reason ==
             "no NVIDIA driver was found (libcuda.so.1): install the driver of the GPU; in a "
             "container, also pass the GPU through (for example docker run --gpus all)");
}

BOOST_AUTO_TEST_CASE(a_missing_library_is_named) {
  ::setenv("HEADROOM_CUDA_BACKEND", "/nowhere/libheadroom_cuda.so", 1);
  const runtime::CudaAttempt attempt = runtime::open_cuda_device(0);
  BOOST_TEST((attempt.device == nullptr));
  BOOST_TEST(attempt.reason ==
             "this build has no CUDA backend (/nowhere/libheadroom_cuda.so is missing); build with "
             "the CUDA toolkit installed (preset cuda)");
}

}  // namespace
}  // namespace headroom
