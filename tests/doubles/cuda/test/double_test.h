#pragma once

#include "tests/doubles/cuda/cuda_double.h"

#include <boost/test/unit_test.hpp>
#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace headroom::cuda_double {

/// Starts every test with a fresh double, whatever the environment says.
struct FreshDouble {
  explicit FreshDouble(const char* spec = "");
  ~FreshDouble();
};

/// True when exactly one more rule was broken than at the last call, with `text` in its message.
/// Forgets the violations, so that each test counts its own.
boost::test_tools::predicate_result violated(const std::string& text);

/// True when no rule was broken.
boost::test_tools::predicate_result clean();

/// How a function ended in a process of its own.
struct Death {
  bool faulted = false;
  std::string message;
};
Death run_apart(const std::function<void()>& body);

/// Device memory for the length of a scope.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    BOOST_REQUIRE_EQUAL(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)),
                        cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { set(values); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  void set(const std::vector<T>& values) {
    BOOST_REQUIRE_EQUAL(
        cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        cudaSuccess);
    BOOST_REQUIRE_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
  }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    BOOST_REQUIRE_EQUAL(cudaMemcpy(result.data(), data_, bytes(), cudaMemcpyDeviceToHost),
                        cudaSuccess);
    return result;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// Pinned memory for the length of a scope.
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t count) : count_(count) {
    BOOST_REQUIRE_EQUAL(cudaMallocHost(reinterpret_cast<void**>(&data_), count * sizeof(T)),
                        cudaSuccess);
  }
  ~PinnedArray() { cudaFreeHost(data_); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;

  T* get() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// A stream that ignores the default stream, for the length of a scope.
class TestStream {
 public:
  explicit TestStream(unsigned flags = cudaStreamNonBlocking) {
    BOOST_REQUIRE_EQUAL(cudaStreamCreateWithFlags(&stream_, flags), cudaSuccess);
  }
  ~TestStream() { cudaStreamDestroy(stream_); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;

  operator cudaStream_t() const { return stream_; }  // NOLINT: stands for the handle in calls

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event for the length of a scope.
class TestEvent {
 public:
  explicit TestEvent(unsigned flags = cudaEventDefault) {
    BOOST_REQUIRE_EQUAL(cudaEventCreateWithFlags(&event_, flags), cudaSuccess);
  }
  ~TestEvent() { cudaEventDestroy(event_); }
  TestEvent(const TestEvent&) = delete;
  TestEvent& operator=(const TestEvent&) = delete;

  operator cudaEvent_t() const { return event_; }  // NOLINT: stands for the handle in calls

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace headroom::cuda_double

inline std::ostream& boost_test_print_type(std::ostream& out, cudaError_t error) {
  return out << cudaGetErrorName(error);
}
