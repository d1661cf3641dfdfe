#pragma once

#include "core/runtime/cuda/cuda_loader.h"
#include "tests/doubles/cuda/cuda_double.h"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace headroom::test {

/// A fresh test double for one test. The default stream is forbidden in all of them. At the end no
/// rule may be broken and nothing may be left alive, so that a test need not ask.
class Double {
 public:
  Double() {
    cuda_double_reset();
    configure("default_stream=reject");
    cuda_double_install_fault_handler();
  }
  ~Double() {
    BOOST_TEST(violations() == "");
    std::string leaks(4096, '\0');
    BOOST_TEST(cuda_double_leaks(leaks.data(), leaks.size()) == 0U, leaks.c_str());
  }
  Double(const Double&) = delete;
  Double& operator=(const Double&) = delete;

  static void configure(const std::string& spec) {
    BOOST_REQUIRE_MESSAGE(cuda_double_configure(spec.c_str()) == 0, cuda_double_configure_error());
  }
  /// All broken rules so far, one a line.
  static std::string violations() {
    std::string text;
    for (std::size_t i = 0; i < cuda_double_violation_count(); ++i) {
      text += std::string(cuda_double_violation(i)) + "\n";
    }
    return text;
  }
  static cuda_double_counters_t counters() { return cuda_double_counters(); }

  static std::unique_ptr<runtime::Device> open(int index = 0) {
    runtime::CudaAttempt attempt = runtime::open_cuda_device(index);
    BOOST_REQUIRE_MESSAGE(attempt.device != nullptr, attempt.reason);
    return std::move(attempt.device);
  }
};

/// Memory of a device, freed at the end of a scope.
class DeviceMemoryBlock {
 public:
  DeviceMemoryBlock(runtime::Device& device, std::size_t size, Place place = Place::kDevice)
      : device_(device),
        place_(place),
        memory_(device.allocate(Bytes(static_cast<std::int64_t>(size)), place)) {}
  ~DeviceMemoryBlock() { device_.release(memory_, place_); }
  DeviceMemoryBlock(const DeviceMemoryBlock&) = delete;
  DeviceMemoryBlock& operator=(const DeviceMemoryBlock&) = delete;
  [[nodiscard]] std::byte* get() const { return static_cast<std::byte*>(memory_); }

 private:
  runtime::Device& device_;
  Place place_;
  void* memory_;
};

}  // namespace headroom::test
