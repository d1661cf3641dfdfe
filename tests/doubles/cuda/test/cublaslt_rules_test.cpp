// Every rule of the matmul is broken once and must be reported.
#include "tests/doubles/cuda/test/matmul_case.h"

namespace headroom::cuda_double {
namespace {

constexpr auto kOk = CUBLAS_STATUS_SUCCESS;
constexpr auto kInvalid = CUBLAS_STATUS_INVALID_VALUE;
constexpr auto kUnsupported = CUBLAS_STATUS_NOT_SUPPORTED;

/// Heuristic and matmul must refuse the case with `status` and say `why`.
void refuse(const MatmulCase& spec, cublasStatus_t status, const std::string& why) {
  MatmulRun run(spec);
  BOOST_TEST(run.find_algorithm() == status);
  BOOST_TEST(run.found == 0);
  BOOST_TEST(violated(why));
  BOOST_TEST(run.launch_default() == status);
  BOOST_TEST(violated(why));
}

BOOST_AUTO_TEST_SUITE(matmul_rules)

BOOST_AUTO_TEST_CASE(unsupported_type_combinations) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.input = CUDA_R_16BF;
  spec.input_b = CUDA_R_32F;
  refuse(spec, kUnsupported, "A bf16, B f32, C and D f32");
  spec = {};
  spec.output = CUDA_R_16BF;
  refuse(spec, kUnsupported, "A f32, B f32, C and D bf16");
  spec = {};
  spec.input = CUDA_R_16F;
  spec.output = CUDA_R_16BF;
  refuse(spec, kUnsupported, "A f16");
  spec = {};
  spec.input = spec.output = CUDA_R_16BF;
  spec.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  refuse(spec, kUnsupported, "unsupported or unmodelled types");
  spec = {};
  spec.input = spec.output = CUDA_R_64F;
  refuse(spec, kUnsupported, "C and D f64, compute type");
  spec = {};
  spec.scale = CUDA_R_64F;
  refuse(spec, kUnsupported, "the scale type must be f32, not f64");
}

BOOST_AUTO_TEST_CASE(types_that_the_architecture_lacks) {
  MatmulCase spec;
  {
    const FreshDouble fresh("cc=7.5");
    spec.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
    refuse(spec, kUnsupported, "compute capability 8.0");
  }
  const FreshDouble fresh("cc=8.6");
  spec = {};
  spec.m = spec.k = 16;
  spec.trans_a = true;
  spec.input = CUDA_R_8F_E4M3;
  spec.output = CUDA_R_16BF;
  refuse(spec, kUnsupported, "compute capability 8.9");
}

BOOST_AUTO_TEST_CASE(fp8_requirements) {
  const FreshDouble fresh;
  MatmulCase good;
  good.m = good.k = 16;
  good.trans_a = true;
  good.input = CUDA_R_8F_E4M3;
  good.output = CUDA_R_16BF;
  MatmulCase spec = good;
  spec.trans_a = false;
  refuse(spec, kUnsupported, "A transposed and B not");
  spec = good;
  spec.trans_b = true;
  spec.n = 16;
  refuse(spec, kUnsupported, "A transposed and B not");
  spec = good;
  spec.k = 24;
  refuse(spec, kUnsupported, "m and k divisible by 16");
  spec = good;
  spec.input = CUDA_R_8F_E5M2;
  refuse(spec, kUnsupported, "must be E4M3");
  spec = good;
  spec.output = CUDA_R_8F_E4M3;
  refuse(spec, kUnsupported, "unsupported or unmodelled types");
  spec = good;
  spec.epilogue = CUBLASLT_EPILOGUE_GELU_AUX;
  refuse(spec, kUnsupported, "fp8 takes only the epilogues");
}

BOOST_AUTO_TEST_CASE(epilogues_out_of_place) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.epilogue = CUBLASLT_EPILOGUE_BGRADB;
  refuse(spec, kUnsupported, "BGRADB with B not transposed");
  spec = {};
  spec.trans_a = true;
  spec.epilogue = CUBLASLT_EPILOGUE_BGRADA;
  refuse(spec, kUnsupported, "BGRADA with A transposed");
  spec = {};
  spec.row_major = true;
  spec.epilogue = CUBLASLT_EPILOGUE_BIAS;
  refuse(spec, kUnsupported, "column-major D");
  spec = {};
  spec.input = spec.output = spec.scale = CUDA_R_64F;
  spec.compute = CUBLAS_COMPUTE_64F;
  spec.epilogue = CUBLASLT_EPILOGUE_GELU;
  refuse(spec, kUnsupported, "f64 takes only");
  spec = {};
  spec.m = spec.n = spec.k = 8;
  spec.input = spec.output = CUDA_R_16BF;
  spec.epilogue = CUBLASLT_EPILOGUE_BIAS;
  spec.bias = CUDA_R_32F;
  refuse(spec, kUnsupported, "the bias must be bf16, not f32");
  spec = {};
  MatmulRun run(spec);
  run.set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{3});
  BOOST_TEST(run.find_algorithm() == kInvalid);
  BOOST_TEST(violated("unknown epilogue 3"));
}

BOOST_AUTO_TEST_CASE(shapes_strides_and_counts_that_do_not_fit) {
  const FreshDouble fresh;
  MatmulCase batched;
  batched.batch = 2;
  const auto bend = [](const MatmulCase& spec, const auto& change, const std::string& why) {
    MatmulRun run(spec);
    change(run);
    BOOST_TEST(run.find_algorithm() == kInvalid);
    BOOST_TEST(violated(why));
  };
  const auto rows = CUBLASLT_MATRIX_LAYOUT_ROWS;
  const auto cols = CUBLASLT_MATRIX_LAYOUT_COLS;
  bend(
      {}, [&](MatmulRun& r) { r.set(r.a_layout, cols, std::uint64_t{8}); }, "do not multiply");
  bend(
      {}, [&](MatmulRun& r) { r.set(r.b_layout, rows, std::uint64_t{6}); }, "do not multiply");
  bend(
      {}, [&](MatmulRun& r) { r.set(r.c_layout, cols, std::uint64_t{4}); }, "C is 5x4");
  bend(
      {}, [&](MatmulRun& r) { r.set(r.d_layout, rows, std::uint64_t{0}); }, "from 1 to 2^31 - 1");
  bend(
      {}, [](MatmulRun& r) { r.set(r.a_layout, CUBLASLT_MATRIX_LAYOUT_LD, std::int64_t{4}); },
      "A: leading dimension 4 is less than 5 rows");
  bend(
      {}, [](MatmulRun& r) { r.set(r.d_layout, CUBLASLT_MATRIX_LAYOUT_LD, std::int64_t{-5}); },
      "D: leading dimension -5");
  bend(
      {},
      [](MatmulRun& r) {
        r.set(r.c_layout, CUBLASLT_MATRIX_LAYOUT_TYPE, std::uint32_t{CUDA_R_16F});
      },
      "same type");
  bend(
      batched,
      [](MatmulRun& r) { r.set(r.a_layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{1}); },
      "batch counts");
  bend(
      batched,
      [](MatmulRun& r) {
        r.set(r.d_layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{0});
      },
      "matrices of D's batch overlap");
  bend(
      batched,
      [](MatmulRun& r) {
        r.set(r.d_layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{14});
      },
      "matrices of D's batch overlap");
}

BOOST_AUTO_TEST_CASE(a_shared_input_of_a_batch_may_have_stride_zero) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.batch = 2;
  MatmulRun run(spec);
  MatmulRun::set(run.a_layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{0});
  run.run();
  double expected = 0;
  for (std::size_t l = 0; l < spec.k; ++l) expected += run.a_value(0, l, 0) * run.b_value(l, 0, 1);
  BOOST_TEST(run.d_values()[run.d_offset(0, 0, 1)] == expected);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(leading_dimensions_of_16_bit_types_keep_the_stated_alignment) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.m = spec.n = spec.k = 8;
  spec.input = spec.output = CUDA_R_16BF;
  spec.pad_a = 1;
  refuse(spec, kUnsupported, "the leading dimension 9 of bf16 A");
  spec.pad_a = 0;
  spec.pad_d = 4;
  refuse(spec, kUnsupported, "the leading dimension 12 of bf16 C");
  spec.pad_d = 0;
  spec.batch = 2;
  spec.gap = 2;
  refuse(spec, kUnsupported, "the batch stride 66 of bf16 A");
  // Whoever promises only 2-byte alignment gets an algorithm that can do with it.
  spec.alignment = 2;
  spec.pad_a = spec.pad_d = 1;
  MatmulRun run(spec);
  run.run();
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(misaligned_pointers) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.gap = 8;  // room to shift
  spec.epilogue = CUBLASLT_EPILOGUE_BIAS;
  const auto bend = [&](char* MatmulRun::*pointer, const std::string& why) {
    MatmulRun run(spec);
    run.find_algorithm();
    run.*pointer += 4;
    BOOST_TEST(run.launch() == kInvalid);
    run.*pointer -= 4;
    BOOST_TEST(violated(why));
  };
  bend(&MatmulRun::a, "A is not aligned to 16 bytes");
  bend(&MatmulRun::b, "B is not aligned to 16 bytes");
  bend(&MatmulRun::c, "C is not aligned to 16 bytes");
  bend(&MatmulRun::d, "D is not aligned to 16 bytes");
  MatmulRun run(spec);
  run.find_algorithm();
  run.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(run.bias + 4));
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("the bias is not aligned to 16 bytes"));
  spec.alignment = 4;
  MatmulRun promised(spec);
  promised.find_algorithm();
  promised.a += 4;
  BOOST_TEST(promised.launch() == kOk);
  promised.a -= 4;
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(pointers_that_lead_astray) {
  const FreshDouble fresh;
  const auto bend = [](char* MatmulRun::*pointer, char* to, const std::string& why) {
    MatmulRun run(MatmulCase{});
    run.find_algorithm();
    char* const good = run.*pointer;
    run.*pointer = to;
    BOOST_TEST(run.launch() == kInvalid);
    run.*pointer = good;
    BOOST_TEST(violated(why));
  };
  std::vector<float> host(64);
  const PinnedArray<char> pinned(256);
  const DeviceArray<char> small(16);
  char* freed = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&freed), 256);
  cudaFree(freed);
  bend(&MatmulRun::a, nullptr, "A is a null pointer");
  bend(&MatmulRun::a, reinterpret_cast<char*>(host.data()), "A is not device memory but pageable");
  bend(&MatmulRun::b, pinned.get(), "B is not device memory but byte 0 of pinned");
  bend(&MatmulRun::c, nullptr, "C is a null pointer");
  bend(&MatmulRun::d, freed, "D is not device memory but byte 0 of freed");
  bend(&MatmulRun::d, small.get(), "D starts at byte 0 of device allocation");
}

BOOST_AUTO_TEST_CASE(overlaps) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.m = spec.n = spec.k = 16;
  spec.gap = 64;
  MatmulRun run(spec);
  run.find_algorithm();
  const auto launch = [&](char* c, char* d) {
    return cublasLtMatmul(run.handle, run.operation, run.alpha, run.a, run.a_layout, run.b,
                          run.b_layout, run.beta, c, run.c_layout, d, run.d_layout,
                          &run.results[0].algo, nullptr, 0, run.stream);
  };
  BOOST_TEST(launch(run.c, run.a) == kInvalid);
  BOOST_TEST(violated("D overlaps A"));
  BOOST_TEST(launch(run.c, run.b + 256) == kInvalid);
  BOOST_TEST(violated("D overlaps B"));
  BOOST_TEST(launch(run.c, run.c + 256) == kInvalid);
  BOOST_TEST(violated("D overlaps C"));
  BOOST_TEST(launch(run.d, run.d) == kOk);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(columns_of_one_wide_matrix_do_not_overlap) {
  // Two products side by side in one matrix of 16 rows: the second reads what the first wrote.
  const FreshDouble fresh;
  MatmulCase spec;
  spec.m = spec.k = 8;
  spec.n = 8;
  spec.pad_a = spec.pad_d = 8;
  MatmulRun run(spec);
  run.find_algorithm();
  BOOST_TEST(run.launch() == kOk);
  char* const beside = run.d + 32;
  BOOST_TEST(cublasLtMatmul(run.handle, run.operation, run.alpha, run.d, run.a_layout, run.b,
                            run.b_layout, run.beta, beside, run.c_layout, beside, run.d_layout,
                            &run.results[0].algo, nullptr, 0, run.stream) == kOk);
  BOOST_TEST(cublasLtMatmul(run.handle, run.operation, run.alpha, run.d, run.a_layout, run.b,
                            run.b_layout, run.beta, run.d + 16, run.c_layout, run.d + 16,
                            run.d_layout, &run.results[0].algo, nullptr, 0,
                            run.stream) == kInvalid);
  BOOST_TEST(violated("D overlaps A"));
}

BOOST_AUTO_TEST_CASE(workspaces) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.m = spec.n = 32;
  spec.workspace = 1 << 20;
  MatmulRun run(spec);
  BOOST_TEST(run.find_algorithm() == kOk);
  BOOST_TEST(run.found == 2);
  const std::size_t needed = run.results[0].workspaceSize;
  BOOST_TEST(needed == 4096U);
  BOOST_TEST(run.results[1].workspaceSize == 0U);
  char* const good = run.workspace;
  run.workspace_bytes = needed - 1;
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("needs a workspace of 4096 bytes and got 4095"));
  run.workspace_bytes = needed;
  run.workspace = nullptr;
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("needs a workspace of 4096 bytes and got 0"));
  run.workspace = good + 16;
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("the workspace is not aligned to 256 bytes"));
  run.workspace = good + spec.workspace - 256;
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("the workspace starts at"));
  run.workspace = run.d;
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("D overlaps the workspace"));
  run.workspace = good;
  cudaMemset(good, 0, spec.workspace);
  cudaDeviceSynchronize();
  BOOST_TEST(run.launch() == kOk);
  cudaStreamSynchronize(run.stream);
  unsigned char bytes[2] = {};
  cudaMemcpy(&bytes[0], good + needed - 1, 1, cudaMemcpyDeviceToHost);
  cudaMemcpy(&bytes[1], good + needed, 1, cudaMemcpyDeviceToHost);
  BOOST_TEST(bytes[0] == 0xCD);
  BOOST_TEST(bytes[1] == 0);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(without_a_workspace_an_algorithm_without_one_is_found) {
  const FreshDouble fresh;
  MatmulRun run(MatmulCase{});
  BOOST_TEST(run.find_algorithm() == kOk);
  BOOST_TEST(run.found == 1);
  BOOST_TEST(run.results[0].workspaceSize == 0U);
}

BOOST_AUTO_TEST_CASE(two_streams_that_share_a_workspace_are_a_race) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.m = spec.n = 32;
  spec.workspace = 1 << 20;
  MatmulRun run(spec);
  const DeviceArray<float> other(1024);
  const TestStream beside;
  run.find_algorithm();
  BOOST_TEST(run.launch() == kOk);
  BOOST_TEST(cublasLtMatmul(run.handle, run.operation, run.alpha, run.a, run.a_layout, run.b,
                            run.b_layout, run.beta, other.get(), run.c_layout, other.get(),
                            run.d_layout, &run.results[0].algo, run.workspace, run.workspace_bytes,
                            beside) == kOk);
  BOOST_TEST(violated("race: matmul 32x32x7"));
  cudaDeviceSynchronize();
}

BOOST_AUTO_TEST_CASE(algorithms_belong_to_their_problem) {
  const FreshDouble fresh;
  MatmulCase spec;
  MatmulRun run(spec);
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("never filled by a heuristic"));
  spec.n = 4;
  MatmulRun other(spec);
  other.find_algorithm();
  run.results[0] = other.results[0];
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("made for another problem"));
  BOOST_TEST(run.launch_default() == kOk);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(epilogue_pointers_are_needed_and_checked) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.epilogue = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
  MatmulRun run(spec);
  run.find_algorithm();
  run.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(nullptr));
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("needs a bias pointer"));
  run.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(run.bias));
  run.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{12});
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("divisible by 8, not 12"));
  run.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{8});
  run.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(nullptr));
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("needs an auxiliary pointer"));
  const DeviceArray<char> small(16);
  run.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(small.get()));
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("the auxiliary matrix starts at byte 0"));
  run.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(run.aux));
  char* const good = run.d;
  run.d = run.aux;
  BOOST_TEST(run.launch() == kInvalid);
  run.d = good;
  BOOST_TEST(violated("D overlaps the auxiliary matrix"));
}

BOOST_AUTO_TEST_CASE(scalars_and_scales_must_be_where_they_are_said_to_be) {
  const FreshDouble fresh;
  MatmulRun run(MatmulCase{});
  const DeviceArray<float> on_device(2);
  const void* const good = run.alpha;
  run.find_algorithm();
  run.alpha = on_device.get();
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("the pointer mode is host, but alpha or beta is byte 0 of device"));
  run.alpha = nullptr;
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("null pointer"));
  run.alpha = good;
  run.set(CUBLASLT_MATMUL_DESC_POINTER_MODE,
          static_cast<std::int32_t>(CUBLASLT_POINTER_MODE_DEVICE));
  run.find_algorithm();
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("alpha is not device memory"));
  run.set(CUBLASLT_MATMUL_DESC_POINTER_MODE,
          static_cast<std::int32_t>(CUBLASLT_POINTER_MODE_DEVICE_VECTOR));
  BOOST_TEST(run.find_algorithm() == kUnsupported);
  BOOST_TEST(violated("single values"));
  run.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, static_cast<std::int32_t>(CUBLASLT_POINTER_MODE_HOST));
  run.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(on_device.get()));
  BOOST_TEST(run.find_algorithm() == kInvalid);
  BOOST_TEST(violated("scale pointers"));
}

BOOST_AUTO_TEST_CASE(a_bias_gradient_needs_an_alpha_of_one) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.trans_b = true;
  spec.alpha = 2;
  spec.epilogue = CUBLASLT_EPILOGUE_BGRADB;
  MatmulRun run(spec);
  run.find_algorithm();
  BOOST_TEST(run.launch() == kUnsupported);
  BOOST_TEST(violated("it must be 1"));
}

BOOST_AUTO_TEST_CASE(dead_handles_and_descriptors) {
  const FreshDouble fresh;
  MatmulRun run(MatmulCase{});
  run.find_algorithm();
  cublasLtHandle_t handle = nullptr;
  cublasLtCreate(&handle);
  cublasLtDestroy(handle);
  cublasLtHandle_t const good = run.handle;
  run.handle = handle;
  BOOST_TEST(run.launch() == CUBLAS_STATUS_NOT_INITIALIZED);
  BOOST_TEST(violated("null or destroyed handle"));
  run.handle = good;
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 5, 7, 5);
  BOOST_TEST(cublasLtMatrixLayoutDestroy(layout) == kOk);
  BOOST_TEST(cublasLtMatrixLayoutDestroy(layout) == kInvalid);
  BOOST_TEST(violated("null, destroyed"));
  std::swap(layout, run.a_layout);
  BOOST_TEST(run.launch() == kInvalid);
  BOOST_TEST(violated("A: null or destroyed layout"));
  std::swap(layout, run.a_layout);
  const std::int64_t wrong_size = 1;
  BOOST_TEST(cublasLtMatmulDescSetAttribute(run.operation, CUBLASLT_MATMUL_DESC_TRANSA, &wrong_size,
                                            sizeof(wrong_size)) == kInvalid);
  BOOST_TEST(violated("takes 4 bytes, not 8"));
}

BOOST_AUTO_TEST_CASE(descriptors_may_live_in_the_callers_memory) {
  const FreshDouble fresh;
  MatmulRun run(MatmulCase{});
  cublasLtMatrixLayoutOpaque_t layout;
  BOOST_TEST(cublasLtMatrixLayoutInit(&layout, CUDA_R_32F, 5, 7, 5) == kOk);
  cublasLtMatrixLayout_t own = &layout;
  std::swap(run.a_layout, own);
  run.run();
  BOOST_TEST(run.d_values()[0] == run.expected(0, 0));
  std::swap(run.a_layout, own);
  cublasLtMatmulDescOpaque_t operation;
  BOOST_TEST(cublasLtMatmulDescInit(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F) == kOk);
  std::int32_t transposition = -1;
  std::size_t written = 0;
  BOOST_TEST(cublasLtMatmulDescGetAttribute(&operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposition,
                                            4, &written) == kOk);
  BOOST_TEST(transposition == 0);
  BOOST_TEST(written == 4U);
  cublasLtMatmulPreferenceOpaque_t preference;
  BOOST_TEST(cublasLtMatmulPreferenceInit(&preference) == kOk);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(nothing_works_without_a_device) {
  const FreshDouble fresh("devices=0");
  cublasLtHandle_t handle = nullptr;
  BOOST_TEST(cublasLtCreate(&handle) == CUBLAS_STATUS_NOT_INITIALIZED);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(leaked_descriptors_are_counted) {
  const FreshDouble fresh;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtCreate(&handle);
  cublasLtMatmulPreferenceCreate(&preference);
  char text[200];
  BOOST_TEST(cuda_double_leaks(text, sizeof(text)) == 1U);
  BOOST_TEST(std::string(text) == "2 cuBLASLt handles or descriptors\n");
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtDestroy(handle);
  BOOST_TEST(cuda_double_leaks(text, sizeof(text)) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::cuda_double
