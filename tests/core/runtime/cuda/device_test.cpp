// The device on its own: memory, copies, and the order of uploads and work. Every wait that the
// protocol of slots asks for is also left out once, to see that the double notices.

#include "tests/core/runtime/cuda/double.h"

#include <numeric>

namespace headroom {
namespace {

using runtime::Device;
using runtime::OutOfMemory;
using test::DeviceMemoryBlock;
using test::Double;

constexpr std::size_t kSize = 4096;
constexpr Bytes kBytes{static_cast<std::int64_t>(kSize)};

/// One slot with its staging buffer, and a place where work copies the batch to.
struct Batch {
  explicit Batch(Device& owner)
      : device(owner),
        input(owner, kSize),
        copy(owner, kSize),
        staging(owner, kSize, Place::kHost) {}
  void fill(int value) const { std::memset(staging.get(), value, kSize); }
  void upload() const { device.upload(0, input.get(), staging.get(), kBytes); }
  /// Work that reads the slot.
  void work() const { device.queue().copy(copy.get(), input.get(), kBytes); }
  /// What the work has made: the byte that all of it consists of.
  [[nodiscard]] int result() const {
    std::vector<unsigned char> host(kSize);
    device.copy_to_host(host.data(), copy.get(), kBytes);
    for (unsigned char byte : host) BOOST_REQUIRE_EQUAL(byte, host[0]);
    return host[0];
  }

  Device& device;
  DeviceMemoryBlock input, copy, staging;
};

/// The violations of a test that expects some.
std::string take_violations() {
  const std::string text = Double::violations();
  cuda_double_clear_violations();
  return text;
}

BOOST_FIXTURE_TEST_CASE(it_says_what_it_is, Double) {
  const auto device = open();
  BOOST_TEST(device->name() == "cuda");
  BOOST_TEST(!device->immediate());
  BOOST_TEST(device->needs_staging());
  BOOST_TEST(device->matmul_workspace_size().value() == 32 << 20);
}

BOOST_FIXTURE_TEST_CASE(memory_is_counted_by_the_driver, Double) {
  configure("memory=8GiB,context=300MiB");
  const auto device = open();
  BOOST_TEST(device->memory().capacity.value() == 8LL << 30);
  BOOST_TEST(device->memory().used.value() == 300LL << 20);
  const auto parts = device->fixed_parts();
  BOOST_REQUIRE(parts.size() == 2U);
  BOOST_TEST(parts[0].bytes.value() == 300LL << 20);
  BOOST_TEST(parts[1].bytes.value() == 0);
  const DeviceMemoryBlock block(*device, std::size_t{100} << 20);
  BOOST_TEST(device->memory().used.value() == 400LL << 20);
}

BOOST_FIXTURE_TEST_CASE(copies_of_any_size_arrive_whole, Double) {
  const auto device = open();
  // Around and above the size of the buffer that copies pass through (4 MiB).
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{4} << 20, (std::size_t{4} << 20) + 3, std::size_t{9} << 20}) {
    std::vector<unsigned char> sent(size);
    std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(size));
    std::vector<unsigned char> received(size);
    const Bytes bytes(static_cast<std::int64_t>(size));
    const DeviceMemoryBlock block(*device, size);
    device->copy_to_device(block.get(), sent.data(), bytes);
    device->copy_to_host(received.data(), block.get(), bytes);
    BOOST_TEST((sent == received));
    device->fill_zero(block.get(), bytes);
    device->copy_to_host(received.data(), block.get(), bytes);
    BOOST_TEST((received == std::vector<unsigned char>(size)));
  }
}

BOOST_FIXTURE_TEST_CASE(a_full_device_says_how_much_was_asked_for, Double) {
  configure("memory=1GiB,context=256MiB");
  const auto device = open();
  try {
    static_cast<void>(device->allocate(Bytes(2LL << 30), Place::kDevice));
    BOOST_ERROR("2 GiB of 1 GiB were given");
  } catch (const OutOfMemory& error) {
    BOOST_TEST(error.what() ==
               "out of memory on cuda: asked for 2147483648 bytes, 805306368 of 1073741824 are "
               "free");
    BOOST_TEST((error.code() == ExitCode::kOutOfMemory));
    BOOST_TEST(error.requested().value() == 2LL << 30);
    BOOST_TEST(error.memory().capacity.value() == 1LL << 30);
  }
  // The failure leaves nothing behind that a later call would report.
  const Batch batch(*device);
  batch.fill(7);
  batch.upload();
  device->await_upload(0);
  batch.work();
  BOOST_TEST(batch.result() == 7);
}

BOOST_FIXTURE_TEST_CASE(batches_pass_in_order, Double) {
  for (const char* order : {"order=latest", "order=oldest", "order=random:3"}) {
    configure(order);
    const auto device = open();
    const Batch batch(*device);
    for (int value = 1; value <= 5; ++value) {
      batch.fill(value);
      batch.upload();
      device->await_upload(0);
      batch.work();
      device->mark_consumed(0);
      device->await_staging(0);
    }
    BOOST_TEST(batch.result() == 5);
  }
}

BOOST_FIXTURE_TEST_CASE(an_upload_makes_nobody_wait, Double) {
  const auto device = open();
  const Batch batch(*device);
  batch.fill(1);
  batch.upload();
  device->await_upload(0);
  batch.work();
  device->mark_consumed(0);
  const auto before = counters();
  batch.upload();
  device->await_upload(0);
  BOOST_TEST(counters().synchronisations == before.synchronisations);
  BOOST_TEST(counters().executed == before.executed);
  device->synchronize();
}

BOOST_FIXTURE_TEST_CASE(work_that_does_not_await_its_upload_is_noticed, Double) {
  const auto device = open();
  const Batch batch(*device);
  batch.fill(1);
  batch.upload();
  batch.work();
  BOOST_TEST(take_violations() != "");
  device->synchronize();
}

BOOST_FIXTURE_TEST_CASE(an_upload_over_a_batch_in_use_is_noticed, Double) {
  const auto device = open();
  const Batch batch(*device);
  batch.fill(1);
  batch.upload();
  device->await_upload(0);
  batch.work();
  batch.upload();  // mark_consumed is missing
  BOOST_TEST(take_violations() != "");
  device->synchronize();
}

BOOST_FIXTURE_TEST_CASE(staging_overwritten_too_early_shows_in_the_result, Double) {
  const auto device = open();
  const Batch batch(*device);
  for (const bool waits : {true, false}) {
    batch.fill(1);
    batch.upload();
    device->await_upload(0);
    batch.work();
    device->mark_consumed(0);
    if (waits) device->await_staging(0);
    batch.fill(2);
    BOOST_TEST(batch.result() == (waits ? 1 : 2));
  }
}

BOOST_FIXTURE_TEST_CASE(a_refused_call_is_told_with_its_place, Double) {
  const auto device = open();
  const DeviceMemoryBlock block(*device, 16);
  std::vector<std::byte> host(64);
  try {
    device->copy_to_host(host.data(), block.get(), Bytes(64));
    BOOST_ERROR("64 bytes were read from an allocation of 16");
  } catch (const Error& error) {
    const std::string text = error.what();
    BOOST_TEST(
        text.starts_with("cudaMemcpyAsync to the host failed: invalid argument "
                         "(cudaErrorInvalidValue, code 1) at "
                         "core/runtime/cuda/cuda_device.cpp:"));
    BOOST_TEST((error.code() == ExitCode::kFailure));
  }
  BOOST_TEST(take_violations() != "");
}

}  // namespace
}  // namespace headroom
