// Handles, heuristics, the matmul itself, versions and status texts.
#include "tests/doubles/cuda/api.h"
#include "tests/doubles/cuda/cublaslt_operands.h"
#include "tests/doubles/cuda/cublaslt_types.h"

#include <algorithm>
#include <cstring>

namespace headroom::cuda_double {
namespace {

struct HandleData {
  static constexpr std::uint32_t kMagic = 0x4C545F48;
  std::uint32_t magic = kMagic;
  int device = 0;
};
struct HandleOpaque {
  std::uint64_t data[2] = {};
};

const HandleData* handle_data(cublasLtHandle_t handle) {
  if (!runtime().lt_objects.is_alive(handle)) return nullptr;
  const auto* data = reinterpret_cast<const HandleData*>(handle);
  return data->magic == HandleData::kMagic ? data : nullptr;
}

cublasStatus_t pass(const char* function, const Refusal& refusal) {
  return lt_fail(function, refusal.status, refusal.why);
}

AlgorithmData make_algorithm(const Problem& problem,
                             const std::uint32_t (&stated)[4],
                             std::uint64_t workspace) {
  AlgorithmData data;
  for (int i = 0; i < 4; ++i) data.alignment[i] = std::min(stated[i], kAlignment);
  data.problem = problem.hash();
  data.workspace = workspace;
  return data;
}

void write_result(const AlgorithmData& data, cublasLtMatmulHeuristicResult_t& result) {
  result = {};
  std::memcpy(&result.algo, &data, sizeof(data));
  result.workspaceSize = data.workspace;
  result.state = CUBLAS_STATUS_SUCCESS;
  result.wavesCount = 1.0F;
}

cublasStatus_t heuristic(const char* function,
                         const Problem& problem,
                         const PreferenceData& preference,
                         int requested,
                         cublasLtMatmulHeuristicResult_t results[],
                         int* returned) {
  if (preference.search_mode != CUBLASLT_SEARCH_BEST_FIT) {
    return lt_fail(function, CUBLAS_STATUS_NOT_SUPPORTED, "only the best-fit search is modelled");
  }
  for (const std::uint32_t alignment : preference.alignment) {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      return lt_fail(function, CUBLAS_STATUS_INVALID_VALUE,
                     "the minimum alignments must be powers of two");
    }
  }
  const AlgorithmData plain = make_algorithm(problem, preference.alignment, 0);
  const Refusal refusal = check_strides(problem, plain.alignment);
  if (refusal.refused()) return pass(function, refusal);
  // The algorithm with a workspace comes first, so that a program which offers one must give it.
  int count = 0;
  const std::uint64_t workspace = wanted_workspace(problem, preference.max_workspace);
  const bool may_split = (preference.reduction_mask & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE) != 0;
  if (workspace > 0 && may_split) {
    write_result(make_algorithm(problem, preference.alignment, workspace), results[count++]);
  }
  if (count < requested) write_result(plain, results[count++]);
  *returned = count;
  return CUBLAS_STATUS_SUCCESS;
}

/// Reads alpha and beta, or notes where on the device they are.
Refusal read_scalars(const Memory& memory,
                     const Problem& problem,
                     const void* alpha,
                     const void* beta,
                     Operands& operands) {
  if (alpha == nullptr || beta == nullptr) {
    return {CUBLAS_STATUS_INVALID_VALUE, "alpha or beta is a null pointer"};
  }
  if (problem.device_scalars) {
    operands.device_alpha = alpha;
    operands.device_beta = beta;
    return {};
  }
  for (const void* scalar : {alpha, beta}) {
    const Space space = memory.space(scalar);
    if (space == Space::kDevice || space == Space::kDead) {
      return {CUBLAS_STATUS_INVALID_VALUE,
              "the pointer mode is host, but alpha or beta is " + memory.describe(scalar)};
    }
  }
  const cudaDataType_t type = problem.double_precision ? CUDA_R_64F : CUDA_R_32F;
  operands.alpha = load(type, alpha, 0);
  operands.beta = load(type, beta, 0);
  if (problem.epilogue.writes_bias() && operands.alpha != 1) {
    return {CUBLAS_STATUS_NOT_SUPPORTED,
            "whether alpha scales a bias gradient is not documented, so it must be 1"};
  }
  return {};
}

Refusal choose_algorithm(const cublasLtMatmulAlgo_t* given,
                         const Problem& problem,
                         const void* workspace,
                         std::size_t workspace_bytes,
                         AlgorithmData& algorithm) {
  if (given == nullptr) {
    constexpr std::uint32_t kStated[4] = {256, 256, 256, 256};
    algorithm = make_algorithm(problem, kStated, 0);
    return check_strides(problem, algorithm.alignment);
  }
  std::memcpy(&algorithm, given->data, sizeof(algorithm));
  if (algorithm.magic != AlgorithmData::kMagic) {
    return {CUBLAS_STATUS_INVALID_VALUE, "the algorithm was never filled by a heuristic"};
  }
  if (algorithm.problem != problem.hash()) {
    return {CUBLAS_STATUS_INVALID_VALUE, "the algorithm was made for another problem"};
  }
  if (workspace_bytes < algorithm.workspace || (workspace == nullptr && algorithm.workspace > 0)) {
    return {CUBLAS_STATUS_INVALID_VALUE,
            "the algorithm needs a workspace of " + std::to_string(algorithm.workspace) +
                " bytes and got " + std::to_string(workspace == nullptr ? 0 : workspace_bytes)};
  }
  return {};
}

Operands make_operands(const MatmulData& op, const void* a, const void* b, const void* c, void* d) {
  Operands operands;
  operands.a = a;
  operands.b = b;
  operands.c = c;
  operands.d = d;
  operands.a_scale = op.a_scale;
  operands.b_scale = op.b_scale;
  operands.bias = op.bias;
  operands.bias_stride = static_cast<std::size_t>(std::max<std::int64_t>(op.bias_stride, 0));
  operands.aux = op.aux;
  operands.aux_ld = static_cast<std::size_t>(std::max<std::int64_t>(op.aux_ld, 0));
  operands.aux_stride = static_cast<std::size_t>(std::max<std::int64_t>(op.aux_stride, 0));
  return operands;
}

void queue(const Call& call,
           const std::shared_ptr<Stream>& stream,
           const Problem& problem,
           const Operands& operands,
           const std::vector<Access>& accesses) {
  ++call.rt.counters.matmuls;
  std::string what = "matmul " + std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
                     std::to_string(problem.k);
  call.rt.scheduler->issue(
      stream, std::move(what),
      [problem, operands, accesses] {
        const Runtime& rt = runtime();
        for (const Access& access : accesses) {
          const void* base = reinterpret_cast<const void*>(access.extent.base);
          if (rt.memory->find(base) != nullptr) continue;
          violate("cublasLtMatmul: when it ran, a pointer led to " + rt.memory->describe(base));
          return cudaErrorIllegalAddress;
        }
        compute(problem, operands, rt.config.poison);
        return cudaSuccess;
      },
      accesses);
}

struct StatusText {
  cublasStatus_t status;
  const char* name;
  const char* text;
};

constexpr StatusText kStatuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires a feature absent from the current architecture"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the GPU program failed to execute"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "the license check failed"},
};

const StatusText* find_status(cublasStatus_t status) {
  const auto* const found =
      std::find_if(std::begin(kStatuses), std::end(kStatuses),
                   [&](const StatusText& entry) { return entry.status == status; });
  return found == std::end(kStatuses) ? nullptr : found;
}

}  // namespace
}  // namespace headroom::cuda_double

using namespace headroom::cuda_double;  // NOLINT: the C functions below are the file's purpose

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  const Call call("cublasLtCreate");
  if (call.readiness() != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (handle == nullptr) {
    return lt_fail("cublasLtCreate", CUBLAS_STATUS_INVALID_VALUE, "null result pointer");
  }
  HandleData data;
  data.device = thread_state().device;
  *handle = reinterpret_cast<cublasLtHandle_t>(call.rt.lt_objects.create<HandleOpaque>(data));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  const Call call("cublasLtDestroy");
  if (handle_data(handle) == nullptr) {
    return lt_fail("cublasLtDestroy", CUBLAS_STATUS_NOT_INITIALIZED, "null or destroyed handle");
  }
  call.rt.lt_objects.destroy(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference,
                                              int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* returned) {
  constexpr const char* kName = "cublasLtMatmulAlgoGetHeuristic";
  const Call call(kName);
  if (call.readiness() != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (handle_data(handle) == nullptr) {
    return lt_fail(kName, CUBLAS_STATUS_NOT_INITIALIZED, "null or destroyed handle");
  }
  if (requested < 1 || results == nullptr || returned == nullptr) {
    return lt_fail(kName, CUBLAS_STATUS_INVALID_VALUE, "no room for results");
  }
  *returned = 0;
  const PreferenceData* preferred = data_of(preference);
  if (preferred == nullptr) {
    return lt_fail(kName, CUBLAS_STATUS_INVALID_VALUE, "null or destroyed preference");
  }
  ++call.rt.counters.heuristic_queries;
  Problem problem;
  const Refusal refusal = resolve(call.rt.config, data_of(operation), data_of(a), data_of(b),
                                  data_of(c), data_of(d), problem);
  if (refusal.refused()) return pass(kName, refusal);
  return heuristic(kName, problem, *preferred, requested, results, returned);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle,
                              cublasLtMatmulDesc_t operation,
                              const void* alpha,
                              const void* a,
                              cublasLtMatrixLayout_t a_layout,
                              const void* b,
                              cublasLtMatrixLayout_t b_layout,
                              const void* beta,
                              const void* c,
                              cublasLtMatrixLayout_t c_layout,
                              void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algo,
                              void* workspace,
                              size_t workspace_bytes,
                              cudaStream_t stream) {
  constexpr const char* kName = "cublasLtMatmul";
  const Call call(kName);
  const cudaError_t ready = call.readiness();
  if (ready != cudaSuccess) {
    return ready == cudaErrorIllegalAddress ? CUBLAS_STATUS_EXECUTION_FAILED
                                            : CUBLAS_STATUS_NOT_INITIALIZED;
  }
  const HandleData* owner = handle_data(handle);
  if (owner == nullptr) {
    return lt_fail(kName, CUBLAS_STATUS_NOT_INITIALIZED, "null or destroyed handle");
  }
  std::shared_ptr<Stream> on;
  if (call.stream(stream, on) != cudaSuccess) return CUBLAS_STATUS_INVALID_VALUE;
  if (on->device != owner->device) {
    return lt_fail(kName, CUBLAS_STATUS_INVALID_VALUE,
                   "the handle and the stream belong to different devices");
  }
  const MatmulData* op = data_of(operation);
  Problem problem;
  Refusal refusal = resolve(call.rt.config, op, data_of(a_layout), data_of(b_layout),
                            data_of(c_layout), data_of(d_layout), problem);
  if (refusal.refused()) return pass(kName, refusal);
  Operands operands = make_operands(*op, a, b, c, d);
  AlgorithmData algorithm;
  std::vector<Access> accesses;
  refusal = read_scalars(*call.rt.memory, problem, alpha, beta, operands);
  if (!refusal.refused()) {
    refusal = choose_algorithm(algo, problem, workspace, workspace_bytes, algorithm);
  }
  if (!refusal.refused()) {
    operands.workspace = workspace;
    operands.workspace_bytes = algorithm.workspace;
    refusal = check_operands(*call.rt.memory, problem, operands, algorithm, accesses);
  }
  if (refusal.refused()) return pass(kName, refusal);
  queue(call, on, problem, operands, accesses);
  return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

size_t cublasLtGetCudartVersion() { return CUDART_VERSION; }

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION:
      *value = CUBLAS_VER_MAJOR;
      return CUBLAS_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = CUBLAS_VER_MINOR;
      return CUBLAS_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = CUBLAS_VER_PATCH;
      return CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

const char* cublasLtGetStatusName(cublasStatus_t status) {
  const StatusText* entry = find_status(status);
  return entry != nullptr ? entry->name : "CUBLAS_STATUS_UNKNOWN";
}

const char* cublasLtGetStatusString(cublasStatus_t status) {
  const StatusText* entry = find_status(status);
  return entry != nullptr ? entry->text : "<unknown>";
}

}  // extern "C"
