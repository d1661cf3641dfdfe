#include "trainer/measure/matmul_rate.h"

#include "core/runtime/arena.h"
#include "core/runtime/kernel_context.h"
#include "core/runtime/random/philox.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace headroom::trainer {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr std::size_t kFewestRepetitions = 3;
/// Random values are drawn once for this many elements and repeated.
constexpr std::int64_t kPattern = 1 << 16;

void fill_random(runtime::Device& device, void* memory, DType dtype, std::int64_t count) {
  const runtime::RandomStream stream(0, runtime::stream_id("matmul rate"));
  const std::int64_t length = std::min(count, kPattern);
  const auto element = static_cast<std::int64_t>(size_of(dtype));
  std::vector<std::byte> pattern(static_cast<std::size_t>(length * element));
  runtime::with_float_type(dtype, [&]<class T>() {
    auto* values = reinterpret_cast<T*>(pattern.data());
    for (std::int64_t i = 0; i < length; ++i) {
      values[i] = static_cast<T>(stream.uniform(static_cast<std::uint64_t>(i)) - 0.5F);
    }
  });
  for (std::int64_t done = 0; done < count; done += length) {
    const std::int64_t part = std::min(length, count - done);
    device.copy_to_device(static_cast<std::byte*>(memory) + done * element, pattern.data(),
                          Bytes(part * element));
  }
}

struct Durations {
  Seconds median, shortest;
};

/// Runs `work` until `at_least` seconds have passed.
template <class Work>
Durations time_repeated(runtime::Device& device, Seconds at_least, Work work) {
  work();
  device.synchronize();
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  while (times.size() < kFewestRepetitions || seconds_since(begin) < at_least.value()) {
    const Clock::time_point start = Clock::now();
    work();
    device.synchronize();
    times.push_back(seconds_since(start));
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return {.median = Seconds(*middle),
          .shortest = Seconds(*std::min_element(times.begin(), times.end()))};
}

}  // namespace

MatmulTiming time_matmul(runtime::Device& device,
                         DType dtype,
                         std::int64_t m,
                         std::int64_t n,
                         std::int64_t k,
                         Seconds at_least) {
  const TensorType a{Shape{{"m", m}, {"k", k}}, dtype};
  const TensorType b{Shape{{"k", k}, {"n", n}}, dtype};
  const TensorType c{Shape{{"m", m}, {"n", n}}, dtype};
  const runtime::Arena memory_a(device, a.bytes(), Place::kDevice);
  const runtime::Arena memory_b(device, b.bytes(), Place::kDevice);
  const runtime::Arena memory_c(device, c.bytes(), Place::kDevice);
  fill_random(device, memory_a.at(0), dtype, a.shape.numel());
  fill_random(device, memory_b.at(0), dtype, b.shape.numel());
  const runtime::Matmul product{.dtype = dtype,
                                .m = m,
                                .n = n,
                                .k = k,
                                .a = memory_a.at(0),
                                .b = memory_b.at(0),
                                .c = memory_c.at(0),
                                .lda = k,
                                .ldb = n,
                                .ldc = n};
  const Durations times = time_repeated(device, at_least, [&] { device.queue().matmul(product); });
  const Flops work = MatmulSize{.m = m, .n = n, .k = k}.flops();
  return {.median = times.median, .rate = work / times.median, .best_rate = work / times.shortest};
}

BytesPerSecond time_copy(runtime::Device& device, Bytes size, Seconds at_least) {
  const runtime::Arena from(device, size, Place::kDevice);
  const runtime::Arena to(device, size, Place::kDevice);
  device.fill_zero(from.at(0), size);
  const Seconds median = time_repeated(device, at_least, [&] {
                           device.queue().copy(to.at(0), from.at(0), size);
                         }).median;
  return BytesPerSecond(2.0 * static_cast<double>(size.value()) / median.value());
}

}  // namespace headroom::trainer
