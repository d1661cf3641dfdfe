#include "tests/doubles/cuda/kernels.h"
#include "tests/doubles/cuda/test/double_test.h"
#include "tests/doubles/cuda/test/row_kernel.h"

#include <limits>

namespace headroom::cuda_double {
namespace {

const std::vector<float> kRows = {1, 2, 3, 4, 10, 20, 30, 40};

struct TwoRows {
  DeviceArray<float> x{kRows};
  DeviceArray<float> y{kRows.size()};
  TestStream stream;

  cudaError_t launch(const LaunchShape& shape) {
    static_cast<void>(cudaGetLastError());
    launch_centred(stream, shape, x.get(), y.get(), 2, 4);
    return cudaGetLastError();
  }
};

BOOST_AUTO_TEST_SUITE(launch)

BOOST_AUTO_TEST_CASE(a_kernel_compiled_by_nvcc_runs_its_host_version_in_stream_order) {
  const FreshDouble fresh;
  TwoRows rows;
  BOOST_TEST(rows.launch({dim3(2)}) == cudaSuccess);
  BOOST_TEST(cuda_double_counters().outstanding == 1U);
  BOOST_TEST(cudaStreamSynchronize(rows.stream) == cudaSuccess);
  const std::vector<float> expected = {-0.5F, 1.5F, 3.5F, 5.5F, -5, 15, 35, 55};
  BOOST_TEST(rows.y.values() == expected);
  BOOST_TEST(cuda_double_counters().launches == 1U);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(only_as_many_rows_run_as_the_grid_has) {
  const FreshDouble fresh;
  TwoRows rows;
  rows.launch({dim3(1)});
  cudaStreamSynchronize(rows.stream);
  BOOST_TEST(rows.y.values()[3] == 5.5F);
  BOOST_TEST(rows.y.values()[4] < -1e8F);  // still poison
}

BOOST_AUTO_TEST_CASE(the_parameter_is_copied_when_the_kernel_is_launched) {
  const FreshDouble fresh;
  TwoRows rows;
  launch_centred(rows.stream, {dim3(2)}, rows.x.get(), rows.y.get(), 2, 4);
  launch_centred(rows.stream, {dim3(2)}, rows.y.get(), rows.x.get(), 3, 4);
  cudaStreamSynchronize(rows.stream);
  // The mean of a first result row is that of its input: 2.5 and 25.
  const std::vector<float> expected = {-4, 2, 8, 14, -40, 20, 80, 140};
  BOOST_TEST(rows.x.values() == expected);
}

BOOST_AUTO_TEST_CASE(impossible_shapes_are_refused) {
  const FreshDouble fresh;
  TwoRows rows;
  for (const LaunchShape& shape :
       {LaunchShape{dim3(0)}, LaunchShape{dim3(1, 0, 1)}, LaunchShape{dim3(1, 65536, 1)},
        LaunchShape{dim3(1, 1, 65536)}, LaunchShape{dim3(2147483648U)},
        LaunchShape{dim3(1), dim3(0)}, LaunchShape{dim3(1), dim3(1025)},
        LaunchShape{dim3(1), dim3(32, 33)}, LaunchShape{dim3(1), dim3(1, 1, 65)}}) {
    BOOST_TEST(rows.launch(shape) == cudaErrorInvalidConfiguration);
    BOOST_TEST(violated("row_kernel"));
  }
  BOOST_TEST(rows.launch({dim3(2), dim3(1024)}) == cudaSuccess);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(shared_memory_beyond_48_kib_must_be_asked_for) {
  const FreshDouble fresh;
  TwoRows rows;
  const LaunchShape shape{dim3(2), dim3(256), 49153};
  BOOST_TEST(rows.launch(shape) == cudaErrorInvalidValue);
  BOOST_TEST(violated("dynamic shared memory"));
  const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  BOOST_TEST(cudaFuncSetAttribute(centred_kernel(), attribute, 228 << 10) == cudaErrorInvalidValue);
  BOOST_TEST(violated("227 KiB"));
  BOOST_TEST(cudaFuncSetAttribute(centred_kernel(), attribute, 64 << 10) == cudaSuccess);
  BOOST_TEST(rows.launch(shape) == cudaSuccess);
  BOOST_TEST(cudaFuncSetAttribute(centred_kernel(), attribute, 48 << 10) == cudaSuccess);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(a_kernel_without_a_host_version_is_refused) {
  const FreshDouble fresh;
  const DeviceArray<float> x(1);
  launch_unbound(nullptr, x.get());
  BOOST_TEST(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
  BOOST_TEST(violated("unbound_kernel"));
}

BOOST_AUTO_TEST_CASE(a_parameter_that_points_to_freed_memory_is_refused) {
  const FreshDouble fresh;
  const DeviceArray<float> x(kRows);
  float* y = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&y), 32);
  cudaFree(y);
  launch_centred(nullptr, {dim3(2)}, x.get(), y, 2, 4);
  BOOST_TEST(cudaGetLastError() == cudaErrorInvalidValue);
  BOOST_TEST(violated("the word at byte 8 of its parameter points to byte 0 of freed"));
}

BOOST_AUTO_TEST_CASE(a_parameter_that_points_to_pageable_memory_is_refused) {
  const FreshDouble fresh;
  const DeviceArray<float> x(kRows);
  std::vector<float> y(8);
  launch_centred(nullptr, {dim3(2)}, x.get(), y.data(), 2, 4);
  BOOST_TEST(cudaGetLastError() == cudaErrorInvalidValue);
  BOOST_TEST(violated("host memory that is not pinned"));
}

BOOST_AUTO_TEST_CASE(a_kernel_that_leaves_its_memory_ends_the_process_with_an_explanation) {
  const FreshDouble fresh;
  TwoRows rows;
  const Death death = run_apart([&] {
    rows.launch({dim3(30)});
    cudaStreamSynchronize(rows.stream);
  });
  BOOST_TEST(death.faulted);
  BOOST_TEST(death.message.find("queued work touched") != std::string::npos);
  BOOST_TEST(death.message.find("past the end of device allocation") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_reads_what_another_stream_copies_is_a_race) {
  const FreshDouble fresh;
  TwoRows rows;
  const TestStream copier;
  const PinnedArray<float> source(8);
  cudaMemcpyAsync(rows.x.get(), source.get(), 32, cudaMemcpyHostToDevice, copier);
  rows.launch({dim3(2)});
  BOOST_TEST(violated("race: kernel"));
  cudaDeviceSynchronize();
}

BOOST_AUTO_TEST_CASE(a_missing_wait_feeds_a_kernel_stale_data) {
  const FreshDouble fresh("races=off");
  TwoRows rows;
  const TestStream copier;
  const PinnedArray<float> source(8);
  for (std::size_t i = 0; i < 8; ++i) source[i] = 0;
  cudaMemcpyAsync(rows.x.get(), source.get(), 32, cudaMemcpyHostToDevice, copier);
  rows.launch({dim3(2)});
  cudaDeviceSynchronize();
  BOOST_TEST(rows.y.values()[3] == 5.5F);  // from the old x; with the wait it would be 0
}

BOOST_AUTO_TEST_CASE(a_device_without_a_fitting_image_refuses_the_kernel) {
  for (const char* spec : {"image=missing", "cc=7.5"}) {
    const FreshDouble fresh(spec);
    TwoRows rows;
    BOOST_TEST(rows.launch({dim3(2)}) == cudaErrorNoKernelImageForDevice);
    cudaFuncAttributes attributes{};
    BOOST_TEST(cudaFuncGetAttributes(&attributes, centred_kernel()) ==
               cudaErrorNoKernelImageForDevice);
    BOOST_TEST(clean());
  }
  const FreshDouble fresh("cc=12.0");
  TwoRows rows;
  BOOST_TEST(rows.launch({dim3(2)}) == cudaSuccess);  // from the embedded PTX
}

BOOST_AUTO_TEST_CASE(binary_code_fits_its_major_version_and_ptx_anything_newer) {
  const FatBinary binary{{{false, 80}, {false, 90}}};
  BOOST_TEST(binary.runs_on(8, 0));
  BOOST_TEST(binary.runs_on(8, 9));
  BOOST_TEST(binary.runs_on(9, 0));
  BOOST_TEST(!binary.runs_on(7, 5));
  BOOST_TEST(!binary.runs_on(10, 0));
  const FatBinary portable{{{true, 80}}};
  BOOST_TEST(portable.runs_on(10, 0));
  BOOST_TEST(!portable.runs_on(7, 5));
}

BOOST_AUTO_TEST_CASE(occupancy_is_plausible) {
  const FreshDouble fresh;
  int blocks = 0;
  BOOST_TEST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, centred_kernel(), 256, 0) ==
             cudaSuccess);
  BOOST_TEST(blocks == 8);
  BOOST_TEST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, centred_kernel(), 256,
                                                           std::size_t{100} << 10) == cudaSuccess);
  BOOST_TEST(blocks == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::cuda_double
