// Which combinations of types and epilogues cuBLASLt supports. Source: NVIDIA, cuBLAS documentation
// (CUDA 13.0), cublasLtMatmul(), tables of supported types and list of FP8 requirements.
#include "tests/doubles/cuda/cublaslt_problem.h"
#include "tests/doubles/cuda/cublaslt_types.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headroom::cuda_double {
namespace {

Refusal invalid(std::string why) { return {CUBLAS_STATUS_INVALID_VALUE, std::move(why)}; }
Refusal unsupported(std::string why) { return {CUBLAS_STATUS_NOT_SUPPORTED, std::move(why)}; }

struct Combination {
  cublasComputeType_t compute;
  cudaDataType_t inputs;
  cudaDataType_t output;
  cudaDataType_t bias;
};

constexpr Combination kCombinations[] = {
    {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_32F_FAST_16BF, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_32F_FAST_16F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF},
    {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
    {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF},
    {CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
    {CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
    {CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {CUBLAS_COMPUTE_64F_PEDANTIC, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
};

struct Fp8Combination {
  cudaDataType_t output;
  cudaDataType_t bias;
};

constexpr Fp8Combination kFp8Combinations[] = {
    {CUDA_R_16BF, CUDA_R_16BF},
    {CUDA_R_16F, CUDA_R_16F},
    {CUDA_R_32F, CUDA_R_16BF},
};

std::string types_text(const Problem& problem) {
  return std::string("A ") + name_of(problem.a.type) + ", B " + name_of(problem.b.type) +
         ", C and D " + name_of(problem.d.type) + ", compute type " +
         std::to_string(problem.compute);
}

Refusal check_fp8(const Config& config, Problem& problem) {
  if (config.cc_major * 10 + config.cc_minor < 89) {
    return unsupported("fp8 needs compute capability 8.9");
  }
  if (problem.a.type == CUDA_R_8F_E5M2 && problem.b.type == CUDA_R_8F_E5M2) {
    return unsupported("one of two fp8 inputs must be E4M3");
  }
  const auto* const found =
      std::find_if(std::begin(kFp8Combinations), std::end(kFp8Combinations),
                   [&](const Fp8Combination& entry) { return entry.output == problem.d.type; });
  if (found == std::end(kFp8Combinations) || problem.compute != CUBLAS_COMPUTE_32F) {
    return unsupported("unsupported or unmodelled types: " + types_text(problem));
  }
  if (!problem.trans_a || problem.trans_b || problem.a.row_major || problem.b.row_major ||
      problem.d.row_major) {
    return unsupported("fp8 needs A transposed and B not, all column-major");
  }
  constexpr std::size_t kUnit = 16;
  if (problem.m % kUnit != 0 || problem.k % kUnit != 0) {
    return unsupported("fp8 needs m and k divisible by 16, not m " + std::to_string(problem.m) +
                       " and k " + std::to_string(problem.k));
  }
  problem.bias_type = found->bias;
  return {};
}

}  // namespace

Refusal check_types(const Config& config, const MatmulData& op, Problem& problem) {
  problem.compute = static_cast<cublasComputeType_t>(op.compute);
  problem.double_precision =
      problem.compute == CUBLAS_COMPUTE_64F || problem.compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  const cudaDataType_t scale = problem.double_precision ? CUDA_R_64F : CUDA_R_32F;
  if (op.scale != scale) {
    return unsupported("the scale type must be " + std::string(name_of(scale)) + ", not " +
                       name_of(static_cast<cudaDataType_t>(op.scale)));
  }
  const bool fp8 = is_fp8(problem.a.type) && is_fp8(problem.b.type);
  if (fp8) {
    const Refusal refusal = check_fp8(config, problem);
    if (refusal.refused()) return refusal;
  } else {
    const auto* const found = std::find_if(
        std::begin(kCombinations), std::end(kCombinations), [&](const Combination& entry) {
          return entry.compute == problem.compute && entry.inputs == problem.a.type &&
                 entry.inputs == problem.b.type && entry.output == problem.d.type;
        });
    if (found == std::end(kCombinations)) {
      return unsupported("unsupported or unmodelled types: " + types_text(problem));
    }
    problem.bias_type = found->bias;
    const bool needs_ampere = problem.a.type == CUDA_R_16BF ||
                              problem.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
                              problem.compute == CUBLAS_COMPUTE_32F_FAST_16BF;
    if (needs_ampere && config.cc_major < 8) {
      return unsupported("bf16 and TF32 need compute capability 8.0");
    }
    if (op.a_scale != nullptr || op.b_scale != nullptr || op.fast_accumulation != 0) {
      return invalid("scale pointers and fast accumulation are for fp8 inputs");
    }
  }
  if (op.c_scale != nullptr || op.d_scale != nullptr || op.amax_d != nullptr) {
    return invalid("scales of C and D and the maximum of D are for fp8 outputs");
  }
  return {};
}

Refusal check_epilogue(const MatmulData& op, Problem& problem) {
  struct Entry {
    std::uint32_t word;
    Epilogue parts;
  };
  static const Entry kEpilogues[] = {
      {CUBLASLT_EPILOGUE_DEFAULT, {}},
      {CUBLASLT_EPILOGUE_RELU, {.relu = true}},
      {CUBLASLT_EPILOGUE_RELU_AUX, {.relu = true, .write_aux = true}},
      {CUBLASLT_EPILOGUE_BIAS, {.bias = true}},
      {CUBLASLT_EPILOGUE_RELU_BIAS, {.bias = true, .relu = true}},
      {CUBLASLT_EPILOGUE_RELU_AUX_BIAS, {.bias = true, .relu = true, .write_aux = true}},
      {CUBLASLT_EPILOGUE_DRELU, {.d_relu = true}},
      {CUBLASLT_EPILOGUE_DRELU_BGRAD, {.d_relu = true, .bias_gradient = true}},
      {CUBLASLT_EPILOGUE_GELU, {.gelu = true}},
      {CUBLASLT_EPILOGUE_GELU_AUX, {.gelu = true, .write_aux = true}},
      {CUBLASLT_EPILOGUE_GELU_BIAS, {.bias = true, .gelu = true}},
      {CUBLASLT_EPILOGUE_GELU_AUX_BIAS, {.bias = true, .gelu = true, .write_aux = true}},
      {CUBLASLT_EPILOGUE_DGELU, {.d_gelu = true}},
      {CUBLASLT_EPILOGUE_DGELU_BGRAD, {.d_gelu = true, .bias_gradient = true}},
      {CUBLASLT_EPILOGUE_BGRADA, {.bias_gradient_a = true}},
      {CUBLASLT_EPILOGUE_BGRADB, {.bias_gradient_b = true}},
  };
  const auto* const found =
      std::find_if(std::begin(kEpilogues), std::end(kEpilogues),
                   [&](const Entry& entry) { return entry.word == op.epilogue; });
  if (found == std::end(kEpilogues)) {
    return invalid("unknown epilogue " + std::to_string(op.epilogue));
  }
  problem.epilogue = found->parts;
  problem.epilogue_word = op.epilogue;
  problem.aux_type = problem.d.type;
  const Epilogue& epilogue = problem.epilogue;
  if (op.epilogue == CUBLASLT_EPILOGUE_DEFAULT) return {};
  if (problem.d.row_major) return unsupported("epilogues need a column-major D");
  const bool gradient = epilogue.uses_aux() || epilogue.writes_bias();
  if (problem.double_precision && (gradient || epilogue.gelu)) {
    return unsupported("f64 takes only the epilogues BIAS, RELU and RELU_BIAS");
  }
  if (is_fp8(problem.a.type) && gradient) {
    return unsupported("fp8 takes only the epilogues BIAS, RELU, GELU and their sums");
  }
  if (epilogue.bias_gradient_a && problem.trans_a) {
    return unsupported("BGRADA with A transposed");
  }
  if (epilogue.bias_gradient_b && !problem.trans_b) {
    return unsupported("BGRADB with B not transposed");
  }
  if (epilogue.uses_bias() && op.bias_type != -1 && op.bias_type != problem.bias_type) {
    return unsupported("the bias must be " + std::string(name_of(problem.bias_type)) + ", not " +
                       name_of(static_cast<cudaDataType_t>(op.bias_type)));
  }
  if (epilogue.uses_aux() && op.aux_type != -1 && op.aux_type != problem.aux_type) {
    return unsupported("the auxiliary type must be that of D");
  }
  return {};
}

}  // namespace headroom::cuda_double
