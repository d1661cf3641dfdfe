// What a user reads when there is no usable GPU.

#include "tests/core/runtime/cuda/double.h"

#include <cstdlib>

namespace headroom {
namespace {

using test::Double;

std::string reason(const std::string& spec, int index = 0) {
  Double::configure(spec);
  const runtime::CudaAttempt attempt = runtime::open_cuda_device(index);
  BOOST_TEST((attempt.device == nullptr));
  return attempt.reason;
}

BOOST_FIXTURE_TEST_CASE(no_driver, Double) {
  BOOST_TEST(reason("driver=none") ==
             "no NVIDIA driver was found (libcuda.so.1), and this build needs one for CUDA 13.0: "
             "install an NVIDIA driver of branch 580 or newer; in a container, also pass the GPU "
             "through (for example docker run --gpus all)");
}

BOOST_FIXTURE_TEST_CASE(an_old_driver, Double) {
  BOOST_TEST(reason("driver=12020") ==
             "the NVIDIA driver is too old: it supports CUDA 12.2 and this build needs 13.0; "
             "install an NVIDIA driver of branch 580 or newer, or build with a CUDA toolkit that "
             "the driver supports");
}

BOOST_FIXTURE_TEST_CASE(no_device, Double) {
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  BOOST_TEST(reason("devices=0") ==
             "the NVIDIA driver shows no GPU to this program; check that nvidia-smi lists one, and "
             "pass it through to the container if this runs in one");
  ::setenv("CUDA_VISIBLE_DEVICES", "7", 1);
  BOOST_TEST(reason("devices=0") ==
             "the NVIDIA driver shows no GPU to this program; CUDA_VISIBLE_DEVICES is \"7\": unset "
             "it or name a GPU that exists");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

BOOST_FIXTURE_TEST_CASE(a_device_number_too_high, Double) {
  BOOST_TEST(reason("devices=2", 2) == "there is no GPU number 2: 2 are visible, counted from 0");
  BOOST_TEST(reason("devices=1", -1) == "there is no GPU number -1: 1 is visible, counted from 0");
}

BOOST_FIXTURE_TEST_CASE(an_architecture_without_code, Double) {
  const std::string text = reason("cc=7.5");
  BOOST_TEST(
      text.starts_with("GPU 0 (Headroom CUDA test double, compute capability 7.5) is not "
                       "one this build has code for (sm_"));
  BOOST_TEST(
      text.ends_with("); configure it with -DHEADROOM_CUDA_ARCHITECTURES=75 and build again"));
}

BOOST_FIXTURE_TEST_CASE(an_architecture_newer_than_the_build, Double) {
  // Code in PTX form, for the newest architecture, is compiled by the driver for later ones.
  configure("cc=12.0");
  BOOST_TEST(open()->description() ==
             "Headroom CUDA test double, compute capability 12.0, 132 multiprocessors, CUDA "
             "runtime 13.0, driver for CUDA 13.0");
}

BOOST_FIXTURE_TEST_CASE(a_device_with_no_room_for_the_context, Double) {
  BOOST_TEST(reason("memory=1MiB,context=1MiB").starts_with("GPU 0 cannot be used: cudaMalloc"));
}

BOOST_FIXTURE_TEST_CASE(a_later_device, Double) {
  configure("devices=2");
  const auto device = open(1);
  BOOST_TEST(device->name() == "cuda");
  const test::DeviceMemoryBlock block(*device, 64);
  device->fill_zero(block.get(), Bytes(64));
  device->synchronize();
}

}  // namespace
}  // namespace headroom
