#include "tests/doubles/cuda/test/double_test.h"

#include <cstdint>
#include <cstring>

namespace headroom::cuda_double {
namespace {

// So that reads which should fault are not optimised away.
volatile unsigned char sink;

std::size_t free_bytes() {
  std::size_t free_now = 0;
  std::size_t total = 0;
  BOOST_REQUIRE_EQUAL(cudaMemGetInfo(&free_now, &total), cudaSuccess);
  return free_now;
}

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(fresh_device_and_pinned_memory_hold_poison) {
  const FreshDouble fresh;
  const DeviceArray<unsigned char> device(1000);
  const PinnedArray<unsigned char> pinned(1000);
  for (const unsigned char byte : device.values()) BOOST_REQUIRE_EQUAL(byte, 0xCD);
  for (std::size_t i = 0; i < 1000; ++i) BOOST_REQUIRE_EQUAL(pinned[i], 0xCD);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(a_large_allocation_is_poisoned_without_being_backed) {
  const FreshDouble fresh("memory=80GiB");
  const DeviceArray<unsigned char> device(std::size_t{70} << 30);
  unsigned char bytes[3] = {};
  for (const std::size_t offset :
       {std::size_t{0}, std::size_t{35} << 30, (std::size_t{70} << 30) - 3}) {
    BOOST_REQUIRE_EQUAL(cudaMemcpy(bytes, device.get() + offset, 3, cudaMemcpyDeviceToHost),
                        cudaSuccess);
    BOOST_TEST(bytes[2] == 0xCD);
  }
  const unsigned char seven = 7;
  unsigned char* const middle = device.get() + (std::size_t{35} << 30);
  BOOST_REQUIRE_EQUAL(cudaMemcpy(middle, &seven, 1, cudaMemcpyHostToDevice), cudaSuccess);
  BOOST_REQUIRE_EQUAL(cudaMemcpy(bytes, middle - 1, 3, cudaMemcpyDeviceToHost), cudaSuccess);
  BOOST_TEST(bytes[0] == 0xCD);
  BOOST_TEST(bytes[1] == 7);
  BOOST_TEST(bytes[2] == 0xCD);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(another_poison_byte_can_be_chosen) {
  const FreshDouble fresh("poison=0xFF");
  const DeviceArray<unsigned char> device(5 << 20);
  unsigned char byte = 0;
  cudaMemcpy(&byte, device.get() + 12345, 1, cudaMemcpyDeviceToHost);
  BOOST_TEST(byte == 0xFF);
}

BOOST_AUTO_TEST_CASE(device_pointers_are_aligned_to_256_bytes) {
  const FreshDouble fresh;
  for (const std::size_t bytes : {1, 255, 256, 257, 4095, 4096, 100000}) {
    const DeviceArray<unsigned char> device(bytes);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(device.get()) % 256 == 0U);
  }
}

BOOST_AUTO_TEST_CASE(zero_bytes_give_a_null_pointer_and_freeing_null_is_allowed) {
  const FreshDouble fresh;
  void* pointer = &pointer;
  BOOST_TEST(cudaMalloc(&pointer, 0) == cudaSuccess);
  BOOST_TEST(pointer == nullptr);
  BOOST_TEST(cudaFree(nullptr) == cudaSuccess);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(memory_is_counted_like_the_driver_does) {
  const FreshDouble fresh("memory=1GiB,context=100MiB,granularity=2MiB");
  constexpr std::size_t kMiB = 1 << 20;
  BOOST_TEST(free_bytes() == 924 * kMiB);
  const DeviceArray<char> large(5 * kMiB);
  BOOST_TEST(free_bytes() == 918 * kMiB);
  const DeviceArray<char> small(100);
  BOOST_TEST(free_bytes() == 916 * kMiB);
  const DeviceArray<char> shares_its_block(1000);
  BOOST_TEST(free_bytes() == 916 * kMiB);
}

BOOST_AUTO_TEST_CASE(a_full_device_answers_out_of_memory_and_recovers) {
  const FreshDouble fresh("memory=1GiB,context=100MiB");
  void* pointer = nullptr;
  BOOST_TEST(cudaMalloc(&pointer, std::size_t{925} << 20) == cudaErrorMemoryAllocation);
  BOOST_TEST(pointer == nullptr);
  BOOST_TEST(cudaGetLastError() == cudaErrorMemoryAllocation);
  BOOST_TEST(cudaGetLastError() == cudaSuccess);
  BOOST_TEST(cudaMalloc(&pointer, SIZE_MAX - 7) == cudaErrorMemoryAllocation);
  BOOST_TEST(cudaMalloc(&pointer, std::size_t{924} << 20) == cudaSuccess);
  void* more = nullptr;
  BOOST_TEST(cudaMalloc(&more, 1) == cudaErrorMemoryAllocation);
  BOOST_TEST(cudaFree(pointer) == cudaSuccess);
  BOOST_TEST(cudaMalloc(&more, 1) == cudaSuccess);
  BOOST_TEST(cudaFree(more) == cudaSuccess);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(counters_follow_live_and_peak_bytes) {
  const FreshDouble fresh;
  {
    const DeviceArray<char> a(1000);
    const DeviceArray<char> b(500);
    const PinnedArray<char> c(64);
    BOOST_TEST(cuda_double_counters().bytes_live == 1500U);
    BOOST_TEST(cuda_double_counters().host_bytes_live == 64U);
  }
  const DeviceArray<char> d(700);
  const cuda_double_counters_t counters = cuda_double_counters();
  BOOST_TEST(counters.allocations == 3U);
  BOOST_TEST(counters.frees == 2U);
  BOOST_TEST(counters.bytes_live == 700U);
  BOOST_TEST(counters.bytes_peak == 1500U);
  BOOST_TEST(counters.host_allocations == 1U);
  BOOST_TEST(counters.host_frees == 1U);
  BOOST_TEST(counters.host_bytes_peak == 64U);
}

BOOST_AUTO_TEST_CASE(freeing_twice_is_a_violation) {
  const FreshDouble fresh;
  void* pointer = nullptr;
  cudaMalloc(&pointer, 100);
  cudaFree(pointer);
  BOOST_TEST(cudaFree(pointer) == cudaErrorInvalidValue);
  BOOST_TEST(violated("freed device allocation"));
}

BOOST_AUTO_TEST_CASE(freeing_by_the_wrong_function_or_pointer_is_a_violation) {
  const FreshDouble fresh;
  const DeviceArray<char> device(100);
  const PinnedArray<char> pinned(100);
  int local = 0;
  BOOST_TEST(cudaFreeHost(device.get()) == cudaErrorInvalidValue);
  BOOST_TEST(violated("cudaFreeHost: cannot free byte 0 of device allocation"));
  BOOST_TEST(cudaFree(pinned.get()) == cudaErrorInvalidValue);
  BOOST_TEST(violated("cudaFree: cannot free byte 0 of pinned allocation"));
  BOOST_TEST(cudaFree(device.get() + 1) == cudaErrorInvalidValue);
  BOOST_TEST(violated("byte 1 of device allocation"));
  BOOST_TEST(cudaFree(&local) == cudaErrorInvalidValue);
  BOOST_TEST(violated("pageable host memory"));
}

BOOST_AUTO_TEST_CASE(the_host_cannot_touch_device_memory) {
  const FreshDouble fresh;
  const DeviceArray<unsigned char> device(100);
  const Death death = run_apart([&] { sink = device.get()[3]; });
  BOOST_TEST(death.faulted);
  BOOST_TEST(death.message.find("the host touched byte 3 of device allocation") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_host_guard_can_be_switched_off) {
  const FreshDouble fresh("host_guard=off");
  const DeviceArray<unsigned char> device(100);
  BOOST_TEST(device.get()[3] == 0xCD);
  BOOST_TEST(cuda_double_configure("host_guard=on") == 0);
  BOOST_TEST(run_apart([&] { sink = device.get()[3]; }).faulted);
}

BOOST_AUTO_TEST_CASE(freed_memory_stays_inaccessible_and_is_not_reused) {
  const FreshDouble fresh("host_guard=off");
  unsigned char* device = nullptr;
  unsigned char* pinned = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&device), 4096);
  cudaMallocHost(reinterpret_cast<void**>(&pinned), 4096);
  cudaFree(device);
  cudaFreeHost(pinned);
  for (int i = 0; i < 100; ++i) {
    const DeviceArray<unsigned char> other(4096);
    BOOST_REQUIRE(other.get() != device);
  }
  const Death on_device = run_apart([&] { sink = device[7]; });
  BOOST_TEST(on_device.faulted);
  BOOST_TEST(on_device.message.find("byte 7 of freed device allocation") != std::string::npos);
  const Death on_host = run_apart([&] { pinned[9] = 1; });
  BOOST_TEST(on_host.faulted);
  BOOST_TEST(on_host.message.find("byte 9 of freed pinned allocation") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(gaps_lie_between_allocations) {
  const FreshDouble fresh("host_guard=off");
  const DeviceArray<unsigned char> device(1024);
  const DeviceArray<unsigned char> next(1024);
  BOOST_TEST(run_apart([&] { device.get()[1024] = 1; }).faulted);
  const Death far = run_apart([&] { device.get()[9000] = 1; });
  BOOST_TEST(far.faulted);
  BOOST_TEST(far.message.find("7976 bytes past the end of device allocation") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(writing_into_the_slack_is_found_when_the_memory_is_freed) {
  const FreshDouble fresh("host_guard=off");
  char* device = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&device), 1000);
  device[1001] = 0;
  cudaFree(device);
  BOOST_TEST(violated("wrote past the end of device allocation"));
  cudaMalloc(reinterpret_cast<void**>(&device), 1000);
  device[-1] = 0;
  cudaFree(device);
  BOOST_TEST(violated("wrote before the start of device allocation"));
  char* pinned = nullptr;
  cudaMallocHost(reinterpret_cast<void**>(&pinned), 1000);
  pinned[1000] = 0;
  cudaFreeHost(pinned);
  BOOST_TEST(violated("wrote past the end of pinned allocation"));
}

BOOST_AUTO_TEST_CASE(registering_pins_a_range_until_it_is_unregistered) {
  const FreshDouble fresh;
  std::vector<char> host(256, 1);
  const DeviceArray<char> device(256);
  const TestStream stream;
  BOOST_TEST(cudaHostRegister(host.data(), 256, cudaHostRegisterDefault) == cudaSuccess);
  BOOST_TEST(cudaMemcpyAsync(device.get(), host.data(), 256, cudaMemcpyHostToDevice, stream) ==
             cudaSuccess);
  BOOST_TEST(clean());
  BOOST_TEST(cudaHostRegister(host.data() + 10, 4, cudaHostRegisterDefault) ==
             cudaErrorHostMemoryAlreadyRegistered);
  BOOST_TEST(violated("cannot register"));
  BOOST_TEST(cudaHostUnregister(host.data()) == cudaSuccess);
  BOOST_TEST(cudaHostUnregister(host.data()) == cudaErrorHostMemoryNotRegistered);
  BOOST_TEST(violated("not registered"));
  BOOST_TEST(cudaMemcpyAsync(device.get(), host.data(), 256, cudaMemcpyHostToDevice, stream) ==
             cudaErrorInvalidValue);
  BOOST_TEST(violated("pageable"));
}

BOOST_AUTO_TEST_CASE(pointer_attributes_name_the_kind_of_memory) {
  const FreshDouble fresh;
  const DeviceArray<char> device(16);
  const PinnedArray<char> pinned(16);
  int local = 0;
  cudaPointerAttributes attributes{};
  cudaPointerGetAttributes(&attributes, device.get() + 5);
  BOOST_TEST(attributes.type == cudaMemoryTypeDevice);
  cudaPointerGetAttributes(&attributes, pinned.get());
  BOOST_TEST(attributes.type == cudaMemoryTypeHost);
  cudaPointerGetAttributes(&attributes, &local);
  BOOST_TEST(attributes.type == cudaMemoryTypeUnregistered);
}

BOOST_AUTO_TEST_CASE(stream_ordered_free_runs_in_stream_order) {
  const FreshDouble fresh;
  const TestStream stream;
  void* pointer = nullptr;
  BOOST_TEST(cudaMallocAsync(&pointer, 512, stream) == cudaSuccess);
  BOOST_TEST(cudaMemsetAsync(pointer, 0, 512, stream) == cudaSuccess);
  BOOST_TEST(cudaFreeAsync(pointer, stream) == cudaSuccess);
  BOOST_TEST(cuda_double_counters().frees == 0U);
  BOOST_TEST(cudaMemsetAsync(pointer, 0, 512, stream) == cudaErrorInvalidValue);
  BOOST_TEST(violated("cudaFreeAsync already released"));
  BOOST_TEST(cudaFreeAsync(pointer, stream) == cudaErrorInvalidValue);
  BOOST_TEST(violated("cudaFreeAsync already released"));
  BOOST_TEST(cudaStreamSynchronize(stream) == cudaSuccess);
  BOOST_TEST(cuda_double_counters().frees == 1U);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(work_on_another_stream_that_outlives_a_stream_ordered_free_fails) {
  const FreshDouble fresh;
  const TestStream stream;
  const TestStream other;
  void* pointer = nullptr;
  cudaMallocAsync(&pointer, 512, stream);
  cudaMemsetAsync(pointer, 0, 512, other);
  cudaFreeAsync(pointer, stream);
  BOOST_TEST(violated("race: cudaFreeAsync"));
  cudaStreamSynchronize(stream);
  BOOST_TEST(cudaStreamSynchronize(other) == cudaErrorIllegalAddress);
  BOOST_TEST(violated("when it ran, the pointer led to byte 0 of freed"));
  BOOST_TEST(cudaDeviceSynchronize() == cudaErrorIllegalAddress);  // it sticks
}

BOOST_AUTO_TEST_CASE(leaks_are_listed) {
  const FreshDouble fresh;
  char text[512];
  BOOST_TEST(cuda_double_leaks(text, sizeof(text)) == 0U);
  void* pointer = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaMalloc(&pointer, 4096);
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  BOOST_TEST(cuda_double_leaks(text, sizeof(text)) == 3U);
  const std::string lines = text;
  BOOST_TEST(lines.find("device allocation #1 (4096 bytes)") != std::string::npos);
  BOOST_TEST(lines.find("stream ") != std::string::npos);
  BOOST_TEST(lines.find("event ") != std::string::npos);
  BOOST_TEST(cudaDeviceReset() == cudaErrorInvalidValue);
  BOOST_TEST(violated("still alive"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::cuda_double
