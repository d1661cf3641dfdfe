// Results of matmuls against loops over doubles.
#include "tests/doubles/cuda/test/matmul_case.h"

#include <cmath>
#include <limits>

namespace headroom::cuda_double {
namespace {

/// Half the distance between neighbours of `value` in a type, plus what float sums may lose.
double tolerance(cudaDataType_t type, double value) {
  const double magnitude = std::max(std::abs(value), 1e-3);
  switch (type) {
    case CUDA_R_64F:
      return magnitude * 1e-14;
    case CUDA_R_16F:
      return magnitude * std::ldexp(1.0, -11) * 1.01;
    case CUDA_R_16BF:
      return magnitude * std::ldexp(1.0, -8) * 1.01;
    default:
      return magnitude * 1e-6 + 1e-6;
  }
}

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double gelu_slope(double x) {
  const double step = 1e-5;
  return (gelu(x + step) - gelu(x - step)) / (2 * step);
}

/// Compares D with what `finish(value, i, j, index)` makes of the product, and the padding with
/// poison.
template <class Finish>
void compare(const MatmulRun& run, const Finish& finish) {
  const MatmulCase& spec = run.spec;
  const std::vector<double> values = run.d_values();
  std::vector<bool> written(values.size());
  for (std::size_t index = 0; index < spec.batch; ++index) {
    for (std::size_t j = 0; j < spec.n; ++j) {
      for (std::size_t i = 0; i < spec.m; ++i) {
        const double expected = finish(run.expected(i, j, index), i, j, index);
        const std::size_t at = run.d_offset(i, j, index);
        written[at] = true;
        BOOST_REQUIRE_SMALL(values[at] - expected, tolerance(spec.output, expected));
      }
    }
  }
  const double poison =
      decode(spec.output, std::vector<unsigned char>(element_bytes(spec.output), 0xCD))[0];
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (!written[at]) BOOST_REQUIRE_EQUAL(values[at], poison);
  }
}

void check(const MatmulCase& spec) {
  MatmulRun run(spec);
  run.run();
  compare(run, [](double value, auto...) { return value; });
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_SUITE(matmul)

BOOST_AUTO_TEST_CASE(every_transposition_size_and_order_in_f32) {
  const FreshDouble fresh;
  for (int bits = 0; bits < 8; ++bits) {
    for (const auto& [m, n, k] : {std::tuple<std::size_t, std::size_t, std::size_t>{1, 1, 1},
                                  {5, 3, 7},
                                  {1, 9, 4},
                                  {33, 17, 65},
                                  {8, 1, 3}}) {
      MatmulCase spec;
      spec.m = m;
      spec.n = n;
      spec.k = k;
      spec.trans_a = (bits & 1) != 0;
      spec.trans_b = (bits & 2) != 0;
      spec.row_major = (bits & 4) != 0;
      check(spec);
    }
  }
}

BOOST_AUTO_TEST_CASE(alpha_beta_padding_and_batches) {
  const FreshDouble fresh;
  for (int bits = 0; bits < 8; ++bits) {
    MatmulCase spec;
    spec.trans_a = (bits & 1) != 0;
    spec.trans_b = (bits & 2) != 0;
    spec.row_major = (bits & 4) != 0;
    spec.alpha = -0.5;
    spec.beta = 2;
    spec.pad_a = 3;
    spec.pad_b = 1;
    spec.pad_d = 2;
    spec.batch = 4;
    spec.gap = 5;
    check(spec);
  }
}

BOOST_AUTO_TEST_CASE(narrow_and_wide_types_round_as_they_should) {
  const FreshDouble fresh;
  for (const auto& [input, output] : {std::pair{CUDA_R_16BF, CUDA_R_16BF},
                                      {CUDA_R_16BF, CUDA_R_32F},
                                      {CUDA_R_16F, CUDA_R_16F},
                                      {CUDA_R_16F, CUDA_R_32F}}) {
    for (int bits = 0; bits < 4; ++bits) {
      MatmulCase spec;
      spec.m = 24;
      spec.n = 16;
      spec.k = 40;
      spec.trans_a = (bits & 1) != 0;
      spec.trans_b = (bits & 2) != 0;
      spec.input = input;
      spec.output = output;
      spec.alpha = 0.75;
      spec.beta = 1;
      check(spec);
    }
  }
  MatmulCase spec;
  spec.input = spec.output = spec.scale = CUDA_R_64F;
  spec.compute = CUBLAS_COMPUTE_64F;
  spec.beta = 0.3;
  check(spec);
}

BOOST_AUTO_TEST_CASE(fp8_inputs_are_scaled) {
  const FreshDouble fresh;
  for (const auto& [a, b] : {std::pair{CUDA_R_8F_E4M3, CUDA_R_8F_E4M3},
                             {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2},
                             {CUDA_R_8F_E5M2, CUDA_R_8F_E4M3}}) {
    for (const cudaDataType_t output : {CUDA_R_16BF, CUDA_R_16F, CUDA_R_32F}) {
      MatmulCase spec;
      spec.m = 32;
      spec.n = 5;
      spec.k = 48;
      spec.trans_a = true;
      spec.input = a;
      spec.input_b = b;
      spec.output = output;
      MatmulRun run(spec);
      const DeviceArray<float> scales(std::vector<float>{0.5F, 3.0F});
      run.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(scales.get()));
      run.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<const void*>(scales.get() + 1));
      run.run();
      // Values of E5M2 have two mantissa bits: multiples of 1/4 below 2 are exact in both types.
      compare(run, [](double value, auto...) { return 1.5 * value; });
      BOOST_TEST(clean());
    }
  }
}

BOOST_AUTO_TEST_CASE(tf32_and_fast_modes_round_their_inputs) {
  const FreshDouble fresh;
  // 1 + 2^-11 is half-way between neighbours of 10 mantissa bits and goes away from zero; the
  // 8 bits of bf16 lose it, the 10 bits of f16 round it to even.
  const float input = 1.0F + std::ldexp(1.0F, -11);
  for (const auto& [compute, expected] :
       {std::pair{CUBLAS_COMPUTE_32F, input},
        {CUBLAS_COMPUTE_32F_FAST_TF32, 1.0F + std::ldexp(1.0F, -10)},
        {CUBLAS_COMPUTE_32F_FAST_16BF, 1.0F},
        {CUBLAS_COMPUTE_32F_FAST_16F, 1.0F}}) {
    MatmulCase spec;
    spec.m = spec.n = spec.k = 1;
    spec.compute = compute;
    MatmulRun run(spec);
    const float one = 1;
    cudaMemcpy(run.a, &input, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(run.b, &one, 4, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    run.run();
    BOOST_TEST(run.d_values()[0] == static_cast<double>(expected));
  }
}

BOOST_AUTO_TEST_CASE(a_beta_of_zero_ignores_what_c_holds) {
  const FreshDouble fresh("poison=0xFF");  // fresh memory is NaN
  MatmulRun run(MatmulCase{});
  float* const garbage = reinterpret_cast<float*>(run.d);
  run.find_algorithm();
  BOOST_TEST(cublasLtMatmul(run.handle, run.operation, run.alpha, run.a, run.a_layout, run.b,
                            run.b_layout, run.beta, garbage, run.c_layout, run.d, run.d_layout,
                            &run.results[0].algo, nullptr, 0, run.stream) == CUBLAS_STATUS_SUCCESS);
  cudaStreamSynchronize(run.stream);
  for (const double value : run.d_values()) BOOST_TEST(!std::isnan(value));
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(c_and_d_may_be_one_matrix) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.beta = 1;
  MatmulRun run(spec);
  run.find_algorithm();
  cudaFree(run.d);
  run.d = run.c;
  run.c = nullptr;
  char* const both = run.d;
  BOOST_TEST(cublasLtMatmul(run.handle, run.operation, run.alpha, run.a, run.a_layout, run.b,
                            run.b_layout, run.beta, both, run.c_layout, both, run.d_layout,
                            &run.results[0].algo, nullptr, 0, run.stream) == CUBLAS_STATUS_SUCCESS);
  cudaStreamSynchronize(run.stream);
  compare(run, [](double value, auto...) { return value; });
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(scalars_on_the_device_are_read_in_stream_order) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.alpha = 2;
  spec.beta = 3;
  MatmulRun run(spec);
  const DeviceArray<float> scalars(std::vector<float>{0, 0});
  const PinnedArray<float> source(2);
  source[0] = 2;
  source[1] = 3;
  run.set(CUBLASLT_MATMUL_DESC_POINTER_MODE,
          static_cast<std::int32_t>(CUBLASLT_POINTER_MODE_DEVICE));
  run.alpha = scalars.get();
  run.beta = scalars.get() + 1;
  BOOST_TEST(run.find_algorithm() == CUBLAS_STATUS_SUCCESS);
  cudaMemcpyAsync(scalars.get(), source.get(), 8, cudaMemcpyHostToDevice, run.stream);
  BOOST_TEST(run.launch() == CUBLAS_STATUS_SUCCESS);
  cudaStreamSynchronize(run.stream);
  compare(run, [](double value, auto...) { return value; });
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(matrices_of_a_batch_may_be_interleaved) {
  // As attention heads lie in a row of tokens: head h of token t starts at t * 8 + h * 2.
  const FreshDouble fresh;
  MatmulCase spec;
  spec.m = 2;
  spec.n = 3;
  spec.k = 4;
  spec.pad_d = 6;  // leading dimension 8
  spec.batch = 4;
  MatmulRun run(spec);
  MatmulRun::set(run.c_layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{2});
  MatmulRun::set(run.d_layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{2});
  run.run();
  const std::vector<double> values = run.d_values();
  for (std::size_t head = 0; head < 4; ++head) {
    for (std::size_t token = 0; token < 3; ++token) {
      for (std::size_t i = 0; i < 2; ++i) {
        BOOST_TEST(values[token * 8 + head * 2 + i] == run.expected(i, token, head));
      }
    }
  }
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(bias_and_activations) {
  const FreshDouble fresh;
  for (const cudaDataType_t type : {CUDA_R_32F, CUDA_R_16BF, CUDA_R_16F}) {
    for (const cublasLtEpilogue_t epilogue :
         {CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS,
          CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS}) {
      for (const std::size_t batch : {1, 3}) {
        MatmulCase spec;
        spec.m = 16;
        spec.n = 8;
        spec.k = 8;
        spec.batch = batch;
        spec.input = spec.output = spec.bias = type;
        spec.epilogue = epilogue;
        MatmulRun run(spec);
        run.run();
        compare(run, [&](double value, std::size_t i, std::size_t, std::size_t index) {
          if ((epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) value += run.bias_in[index * spec.m + i];
          if ((epilogue & CUBLASLT_EPILOGUE_RELU) != 0) return std::max(value, 0.0);
          return (epilogue & CUBLASLT_EPILOGUE_GELU) != 0 ? gelu(value) : value;
        });
        BOOST_TEST(clean());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(gelu_keeps_its_input_and_takes_it_back) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.m = 16;
  spec.epilogue = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
  std::vector<unsigned char> kept;
  {
    MatmulRun run(spec);
    run.run();
    kept = run.aux_bytes();
    const std::vector<double> values = decode(CUDA_R_32F, kept);
    for (std::size_t j = 0; j < spec.n; ++j) {
      for (std::size_t i = 0; i < spec.m; ++i) {
        BOOST_TEST(values[i + j * 16] == run.expected(i, j) + run.bias_in[i]);
      }
    }
  }
  for (const auto epilogue : {CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD}) {
    spec.epilogue = epilogue;
    MatmulRun run(spec);
    run.set_aux(kept);
    run.run();
    const std::vector<double> inputs = decode(CUDA_R_32F, kept);
    std::vector<double> sums(spec.m);
    const std::vector<double> values = run.d_values();
    for (std::size_t j = 0; j < spec.n; ++j) {
      for (std::size_t i = 0; i < spec.m; ++i) {
        const double expected = run.expected(i, j) * gelu_slope(inputs[i + j * 16]);
        BOOST_REQUIRE_SMALL(values[run.d_offset(i, j)] - expected, 2e-5);
        sums[i] += expected;
      }
    }
    if (epilogue == CUBLASLT_EPILOGUE_DGELU_BGRAD) {
      for (std::size_t i = 0; i < spec.m; ++i) {
        BOOST_REQUIRE_SMALL(run.bias_values()[i] - sums[i], 1e-4);
      }
    }
    BOOST_TEST(clean());
  }
}

BOOST_AUTO_TEST_CASE(relu_keeps_one_bit_and_takes_it_back) {
  const FreshDouble fresh;
  MatmulCase spec;
  spec.m = 130;
  spec.n = 4;
  spec.epilogue = CUBLASLT_EPILOGUE_RELU_AUX;
  std::vector<unsigned char> kept;
  std::vector<bool> positive;
  {
    MatmulRun run(spec);
    run.run();
    kept = run.aux_bytes();
    for (std::size_t j = 0; j < spec.n; ++j) {
      for (std::size_t i = 0; i < spec.m; ++i) {
        const std::size_t bit = i + j * 256;
        positive.push_back((kept[bit / 8] >> (bit % 8) & 1) != 0);
        BOOST_REQUIRE_EQUAL(positive.back(), run.expected(i, j) > 0);
      }
    }
  }
  spec.epilogue = CUBLASLT_EPILOGUE_DRELU_BGRAD;
  spec.seed = 50;
  MatmulRun run(spec);
  run.set_aux(kept);
  run.run();
  std::vector<double> sums(spec.m);
  for (std::size_t j = 0; j < spec.n; ++j) {
    for (std::size_t i = 0; i < spec.m; ++i) {
      const double expected = positive[i + j * spec.m] ? run.expected(i, j) : 0;
      BOOST_REQUIRE_EQUAL(run.d_values()[run.d_offset(i, j)], expected);
      sums[i] += expected;
    }
  }
  BOOST_TEST(run.bias_values() == sums);
  BOOST_TEST(clean());
}

BOOST_AUTO_TEST_CASE(bias_gradients_sum_an_input_over_k) {
  const FreshDouble fresh;
  for (const auto epilogue : {CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB}) {
    MatmulCase spec;
    spec.trans_b = true;
    spec.beta = 1;
    spec.epilogue = epilogue;
    spec.batch = 2;
    MatmulRun run(spec);
    run.run();
    compare(run, [](double value, auto...) { return value; });
    const bool of_a = epilogue == CUBLASLT_EPILOGUE_BGRADA;
    const std::size_t length = of_a ? spec.m : spec.n;
    const std::vector<double> sums = run.bias_values();
    for (std::size_t index = 0; index < spec.batch; ++index) {
      for (std::size_t i = 0; i < length; ++i) {
        double expected = 0;
        for (std::size_t l = 0; l < spec.k; ++l) {
          expected += of_a ? run.a_value(i, l, index) : run.b_value(l, i, index);
        }
        BOOST_TEST(sums[index * length + i] == expected);
      }
    }
    BOOST_TEST(clean());
  }
}

BOOST_AUTO_TEST_CASE(a_matmul_runs_in_stream_order_and_is_counted) {
  const FreshDouble fresh;
  MatmulRun run(MatmulCase{});
  run.find_algorithm();
  BOOST_TEST(run.launch() == CUBLAS_STATUS_SUCCESS);
  BOOST_TEST(cuda_double_counters().matmuls == 1U);
  BOOST_TEST(cuda_double_counters().heuristic_queries == 1U);
  BOOST_TEST(cuda_double_counters().outstanding == 1U);
  cudaStreamSynchronize(run.stream);
  compare(run, [](double value, auto...) { return value; });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace headroom::cuda_double
