#include "tests/doubles/cuda/test/double_test.h"

#include <numeric>

namespace headroom::cuda_double {
namespace {

std::vector<int> counting(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

BOOST_AUTO_TEST_SUITE(copies)

BOOST_AUTO_TEST_CASE(data_goes_to_the_device_and_back) {
  const FreshDouble fresh;
  const auto values = counting(1000);
  const DeviceArray<int> a(values);
  const DeviceArray<int> b(1000);
  BOOST_TEST(cudaMemcpy(b.get(), a.get(), a.bytes(), cudaMemcpyDeviceToDevice) == cudaSuccess);
  BOOST_TEST(b.values() == values);
  BOOST_TEST(cudaMemset(b.get(), 0, 8) == cudaSuccess);
  BOOST_TEST(b.values()[1] == 0);
  BOOST_TEST(b.values()[2] == 3);
  const cuda_double_counters_t counters = cuda_double_counters();
  BOOST_TEST(counters.copies_to_device == 1U);
  BOOST_TEST(counters.bytes_to_device == 4000U);
  BOOST_TEST(counters.copies_on_device == 1U);
  BOOST_TEST(counters.copies_to_host == 3U);
  BOOST_TEST(counters.bytes_to_host == 12000U);
  BOOST_TEST(counters.memsets == 1U);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(the_kind_must_be_true) {
  const FreshDouble fresh;
  const DeviceArray<int> device(4);
  const PinnedArray<int> pinned(4);
  int host[4] = {};
  for (const cudaMemcpyKind wrong :
       {cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyHostToHost}) {
    BOOST_TEST(cudaMemcpy(device.get(), host, 16, wrong) == cudaErrorInvalidValue);
    BOOST_TEST(violated("kind is"));
  }
  // Hardware would take pinned memory for device memory; a program that means it is mistaken.
  BOOST_TEST(cudaMemcpy(pinned.get(), device.get(), 16, cudaMemcpyDeviceToDevice) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("kind is DeviceToDevice"));
  BOOST_TEST(cudaMemcpy(host, device.get(), 16, cudaMemcpyDefault) == cudaSuccess);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(ranges_must_stay_inside_their_allocation) {
  const FreshDouble fresh;
  const DeviceArray<char> device(100);
  const PinnedArray<char> pinned(100);
  std::vector<char> host(200);
  BOOST_TEST(cudaMemcpy(device.get(), host.data(), 101, cudaMemcpyHostToDevice) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("destination starts at byte 0 of device allocation"));
  BOOST_TEST(cudaMemcpy(host.data(), device.get() + 60, 41, cudaMemcpyDeviceToHost) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("runs 1 bytes past its end"));
  BOOST_TEST(cudaMemcpy(device.get(), pinned.get() + 1, 100, cudaMemcpyHostToDevice) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("source starts at byte 1 of pinned allocation"));
  BOOST_TEST(cudaMemset(device.get() + 1, 0, 100) == cudaErrorInvalidValue);
  BOOST_TEST(violated("runs 1 bytes past its end"));
  BOOST_TEST(cudaMemset(host.data(), 0, 1) == cudaErrorInvalidValue);
  BOOST_TEST(violated("not device memory"));
}

BOOST_AUTO_TEST_CASE(freed_null_and_overlapping_ranges_are_refused) {
  const FreshDouble fresh;
  const DeviceArray<char> device(100);
  char* freed = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&freed), 100);
  cudaFree(freed);
  BOOST_TEST(cudaMemcpy(device.get(), freed, 100, cudaMemcpyDeviceToDevice) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("source points to byte 0 of freed device allocation"));
  BOOST_TEST(cudaMemset(freed, 0, 1) == cudaErrorInvalidValue);
  BOOST_TEST(violated("freed device allocation"));
  BOOST_TEST(cudaMemcpy(device.get(), nullptr, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  BOOST_TEST(violated("source is a null pointer"));
  BOOST_TEST(cudaMemcpy(device.get(), device.get() + 50, 51 - 1, cudaMemcpyDeviceToDevice) ==
             cudaSuccess);
  BOOST_TEST(cudaMemcpy(device.get(), device.get() + 49, 50, cudaMemcpyDeviceToDevice) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("overlap"));
}

BOOST_AUTO_TEST_CASE(asynchronous_copies_of_pageable_memory_are_refused) {
  const FreshDouble fresh;
  const DeviceArray<int> device(4);
  const TestStream stream;
  int host[4] = {1, 2, 3, 4};
  BOOST_TEST(cudaMemcpyAsync(device.get(), host, 16, cudaMemcpyHostToDevice, stream) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("pageable memory"));
  BOOST_TEST(cudaMemcpyAsync(host, device.get(), 16, cudaMemcpyDeviceToHost, stream) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("pageable memory"));
}

BOOST_AUTO_TEST_CASE(staged_copies_read_the_source_at_once_as_hardware_does) {
  const FreshDouble fresh("pageable=stage");
  const DeviceArray<int> device(4);
  const TestStream stream;
  int host[4] = {1, 2, 3, 4};
  BOOST_TEST(cudaMemcpyAsync(device.get(), host, 16, cudaMemcpyHostToDevice, stream) ==
             cudaSuccess);
  host[0] = 99;
  int back[4] = {};
  BOOST_TEST(cudaMemcpyAsync(back, device.get(), 16, cudaMemcpyDeviceToHost, stream) ==
             cudaSuccess);
  BOOST_TEST(back[0] == 1);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(an_asynchronous_copy_has_not_happened_before_the_host_waits) {
  const FreshDouble fresh;
  const DeviceArray<int> device(counting(4));
  const PinnedArray<int> pinned(4);
  const TestStream stream;
  BOOST_TEST(cudaMemcpyAsync(pinned.get(), device.get(), 16, cudaMemcpyDeviceToHost, stream) ==
             cudaSuccess);
  BOOST_TEST(pinned[0] == static_cast<int>(0xCDCDCDCD));
  BOOST_TEST(cuda_double_counters().outstanding == 1U);
  BOOST_TEST(cudaStreamSynchronize(stream) == cudaSuccess);
  BOOST_TEST(pinned[0] == 1);
  BOOST_TEST(cuda_double_counters().outstanding == 0U);
}

BOOST_AUTO_TEST_CASE(changing_a_pinned_source_too_early_changes_what_is_copied) {
  const FreshDouble fresh;
  const DeviceArray<int> device(1);
  const PinnedArray<int> pinned(1);
  const TestStream stream;
  pinned[0] = 1;
  cudaMemcpyAsync(device.get(), pinned.get(), 4, cudaMemcpyHostToDevice, stream);
  pinned[0] = 2;
  cudaStreamSynchronize(stream);
  BOOST_TEST(device.values()[0] == 2);
}

BOOST_AUTO_TEST_CASE(a_synchronous_copy_does_not_wait_for_a_nonblocking_stream) {
  const FreshDouble fresh("races=off");
  const DeviceArray<int> device(counting(1));
  const TestStream stream;
  cudaMemsetAsync(device.get(), 0, 4, stream);
  BOOST_TEST(device.values()[0] == 1);
  cudaStreamSynchronize(stream);
  BOOST_TEST(device.values()[0] == 0);
}

BOOST_AUTO_TEST_CASE(a_synchronous_copy_waits_for_a_blocking_stream) {
  const FreshDouble fresh;
  const DeviceArray<int> device(counting(1));
  const TestStream stream(cudaStreamDefault);
  cudaMemsetAsync(device.get(), 0, 4, stream);
  BOOST_TEST(device.values()[0] == 0);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(a_synchronous_copy_from_pageable_memory_may_arrive_late) {
  const FreshDouble fresh("races=off");
  const DeviceArray<int> device(counting(1));
  const PinnedArray<int> pinned(1);
  const TestStream stream;
  int host = 5;
  // The call returns once the source is staged; a nonblocking stream does not wait for the rest.
  cudaMemcpy(device.get(), &host, 4, cudaMemcpyHostToDevice);
  host = 6;
  cudaMemcpyAsync(pinned.get(), device.get(), 4, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  BOOST_TEST(pinned[0] == 1);
  BOOST_TEST(device.values()[0] == 5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::cuda_double
