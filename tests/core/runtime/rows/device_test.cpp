// The launch of row programs: with a GPU, kernels against the simulated block; without one, the
// error, and the hook by which a test double of the CUDA runtime learns the host version.

#define BOOST_TEST_MODULE runtime_rows_device
#include "core/describe/error.h"
#include "core/runtime/rows/column_sum.h"
#include "core/runtime/rows/host_rows.h"
#include "core/runtime/rows/sim_team.h"
#include "tests/core/runtime/rows/device_programs.h"
#include "tests/core/runtime/rows/programs.h"
#include "tests/core/runtime/rows/reference.h"

#include <boost/test/unit_test.hpp>
#include <cuda_runtime.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace {

using Run = void (*)(void**, dim3, dim3);
Run last_bound = nullptr;
std::size_t last_bytes = 0;
bool simulates = false;

}  // namespace

extern "C" void fakecuda_bind(const void* /*kernel*/, Run run, std::size_t param_bytes) {
  last_bound = run;
  last_bytes = param_bytes;
}
extern "C" int fakecuda_simulates_blocks() { return simulates ? 1 : 0; }

namespace headroom::runtime::rows::testing {
namespace {

namespace utf = boost::unit_test;

bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
utf::assertion_result with_gpu(utf::test_unit_id /*unit*/) {
  return utf::assertion_result(has_gpu());
}
utf::assertion_result without_gpu(utf::test_unit_id /*unit*/) {
  return utf::assertion_result(!has_gpu());
}

BOOST_AUTO_TEST_CASE(a_launch_without_a_gpu_says_so, *utf::precondition(without_gpu)) {
  std::vector<float> data(100, 1.0f);
  BOOST_CHECK_EXCEPTION(
      (launch<256>(nullptr, Softmax<float>{data.data(), 100}, 1)), Error, [](const Error& e) {
        return std::string(e.what()).find("launch of a row kernel (1 blocks of 256 threads)") == 0;
      });
  BOOST_CHECK_NO_THROW((launch<256>(nullptr, Softmax<float>{data.data(), 100}, 0)));
}

BOOST_AUTO_TEST_CASE(the_bound_host_version_computes_what_the_kernel_would,
                     *utf::precondition(without_gpu)) {
  for (const bool simulate : {false, true}) {
    simulates = simulate;
    OffsetArray<float> x(3 * 100, 0);
    x.fill(1, 5.0);
    const std::vector<double> want = softmax(x.values(), 100);
    const Softmax<float> program{x.data(), 100};
    BOOST_CHECK_THROW((launch_on_two_blocks<256>(nullptr, program, 3)), Error);
    BOOST_CHECK_THROW((launch<32>(nullptr, program, 3)), Error);
    BOOST_REQUIRE(last_bound != nullptr);
    struct {
      Softmax<float> program;
      std::int64_t rows;
    } argument{program, 3};
    BOOST_TEST(last_bytes == sizeof(argument));
    void* arguments[] = {&argument};
    last_bound(arguments, dim3(3), dim3(32));
    for (std::int64_t i = 0; i < x.size(); ++i) {
      BOOST_REQUIRE_CLOSE(double{x[i]}, want[static_cast<std::size_t>(i)], 1e-3);
    }
  }
}

/// Copies of arrays on the GPU.
class OnDevice {
 public:
  template <class T>
  T* add(OffsetArray<T>& host) {
    void* copy = nullptr;
    // Room to keep the host's offset, so that both sides take the same vector or scalar path.
    const auto offset = reinterpret_cast<std::uintptr_t>(host.data()) % 64;
    const auto bytes = static_cast<std::size_t>(host.size()) * sizeof(T);
    BOOST_REQUIRE(cudaMalloc(&copy, bytes + 64) == cudaSuccess);
    memory_.emplace_back(copy, &cudaFree);
    T* const to = reinterpret_cast<T*>(static_cast<char*>(copy) + offset);
    BOOST_REQUIRE(cudaMemcpy(to, host.data(), bytes, cudaMemcpyDefault) == cudaSuccess);
    return to;
  }
  template <class T>
  static std::vector<double> read(const T* device, OffsetArray<T>& like) {
    const auto bytes = static_cast<std::size_t>(like.size()) * sizeof(T);
    OffsetArray<T> back(like.size(), 0);
    BOOST_REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    BOOST_REQUIRE(cudaMemcpy(back.data(), device, bytes, cudaMemcpyDefault) == cudaSuccess);
    return back.values();
  }

 private:
  std::vector<std::unique_ptr<void, cudaError_t (*)(void*)>> memory_;
};

/// The device contracts multiplications and additions differently from the host compiler.
void check_close(const std::vector<double>& got,
                 const std::vector<double>& want,
                 double tolerance) {
  BOOST_REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    BOOST_REQUIRE_SMALL(got[i] - want[i], tolerance * (1 + std::abs(want[i])));
  }
}

template <class T>
void check_layer_norm(std::int64_t columns, int offset) {
  constexpr std::int64_t kRows = 5;
  OffsetArray<T> x(kRows * columns, offset);
  OffsetArray<T> y(kRows * columns, offset);
  OffsetArray<float> weight(columns, 0);
  OffsetArray<float> bias(columns, 0);
  OffsetArray<float> mean(kRows, 0);
  OffsetArray<float> rstd(kRows, 0);
  x.fill(1, 2.0, 0.5);
  weight.fill(2, 1.0, 1.0);
  bias.fill(3, 0.5);
  OnDevice device;
  LayerNorm<T> program{device.add(x),    device.add(weight), device.add(bias), device.add(y),
                       device.add(mean), device.add(rstd),   columns,          0.125f};
  launch<256>(nullptr, program, kRows);
  const auto got = OnDevice::read(program.y, y);
  const auto got_rstd = OnDevice::read(program.rstd_out, rstd);
  run_rows_host<SimTeam<256>>(LayerNorm<T>{x.data(), weight.data(), bias.data(), y.data(),
                                           mean.data(), rstd.data(), columns, 0.125f},
                              kRows);
  check_close(got, y.values(), kTolerance<T>);
  check_close(got_rstd, rstd.values(), kTolerance<float>);
}

BOOST_AUTO_TEST_CASE(layer_norm_kernel_matches_the_simulated_block, *utf::precondition(with_gpu)) {
  for (const std::int64_t size : kSizes) {
    for (const int offset : {0, 1, 4}) {
      check_layer_norm<float>(size, offset);
      check_layer_norm<double>(size, offset);
      check_layer_norm<bf16>(size, offset);
      check_layer_norm<f16>(size, offset);
    }
  }
}

BOOST_AUTO_TEST_CASE(softmax_kernels_match_the_simulated_block, *utf::precondition(with_gpu)) {
  constexpr std::int64_t kRows = 7;
  for (const std::int64_t size : kSizes) {
    OffsetArray<float> x(kRows * size, 0);
    x.fill(4, 6.0);
    OnDevice device;
    const Softmax<float> one{device.add(x), size};
    const Softmax<float> warp{device.add(x), size};
    const Softmax<float> turns{device.add(x), size};
    launch<256>(nullptr, one, kRows);
    launch<32>(nullptr, warp, kRows);
    launch_on_two_blocks<256>(nullptr, turns, kRows);
    OffsetArray<float> host(kRows * size, 0);
    host.fill(4, 6.0);
    run_rows_host<SimTeam<256>>(Softmax<float>{host.data(), size}, kRows);
    check_close(OnDevice::read(one.x, x), host.values(), 1e-6);
    check_close(OnDevice::read(warp.x, x), host.values(), 1e-6);
    BOOST_TEST((OnDevice::read(turns.x, x) == OnDevice::read(one.x, x)));
  }
}

BOOST_AUTO_TEST_CASE(other_kernels_match_the_simulated_block, *utf::precondition(with_gpu)) {
  for (const std::int64_t size : kSizes) {
    OffsetArray<float> x(size, 0);
    OffsetArray<float> y(size, 0);
    x.fill(5, 4.0);
    OnDevice device;
    const Gelu<float> gelu_program{device.add(x), device.add(y), {size}};
    launch<256>(nullptr, gelu_program, 1);
    const auto got = OnDevice::read(gelu_program.y, y);
    run_rows_host<SimTeam<256>>(Gelu<float>{x.data(), y.data(), {size}}, 1);
    check_close(got, y.values(), 1e-6);

    OffsetArray<double> d(2 * size, 0);
    OffsetArray<double> squares(2 * size, 0);
    OffsetArray<double> results(8, 0);
    d.fill(11, 2.0, -3.0);
    const IndexLoops loops{device.add(d), device.add(squares), device.add(results), size};
    launch<256>(nullptr, loops, 2);
    const auto got_results = OnDevice::read(loops.results, results);
    run_rows_host<SimTeam<256>>(IndexLoops{d.data(), squares.data(), results.data(), size}, 2);
    check_close(got_results, results.values(), 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(column_sum_kernels_match_the_simulated_block, *utf::precondition(with_gpu)) {
  for (const std::int64_t columns : {1, 30, 256, 600}) {
    const ColumnCut cut{200, columns};
    OffsetArray<bf16> x(cut.rows * columns, 0);
    OffsetArray<float> buffer(cut.buffer_elements(), 0);
    OffsetArray<float> out(columns, 0);
    x.fill(1, 1.0);
    out.fill(2, 1.0);
    OnDevice device;
    const bf16* const dx = device.add(x);
    float* const dbuffer = device.add(buffer);
    float* const dout = device.add(out);
    column_sum([](const auto& program, std::int64_t rows) { launch<256>(nullptr, program, rows); },
               cut, dx, columns, dbuffer, dout, true);
    const auto got = OnDevice::read(dout, out);
    column_sum(
        [](const auto& program, std::int64_t rows) { run_rows_host<SimTeam<256>>(program, rows); },
        cut, x.data(), columns, buffer.data(), out.data(), true);
    check_close(got, out.values(), 1e-6);
  }
}

}  // namespace
}  // namespace headroom::runtime::rows::testing
