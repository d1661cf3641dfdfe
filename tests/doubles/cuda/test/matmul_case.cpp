#include "tests/doubles/cuda/test/matmul_case.h"

#include "core/describe/convert.h"

#include <cstring>
#include <random>

namespace headroom::cuda_double {
namespace {

template <class T>
void append(std::vector<unsigned char>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

template <class T>
T element(const std::vector<unsigned char>& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::size_t element_bytes(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    default:
      return 1;
  }
}

std::vector<unsigned char> encode(cudaDataType_t type, const std::vector<double>& values) {
  std::vector<unsigned char> bytes;
  for (const double value : values) {
    const auto single = static_cast<float>(value);
    switch (type) {
      case CUDA_R_64F:
        append(bytes, value);
        break;
      case CUDA_R_32F:
        append(bytes, single);
        break;
      case CUDA_R_16F:
        append(bytes, f16(single).bits);
        break;
      case CUDA_R_16BF:
        append(bytes, bf16(single).bits);
        break;
      case CUDA_R_8F_E4M3:
        append(bytes, f8e4m3(single).bits);
        break;
      default:
        append(bytes, f8e5m2(single).bits);
        break;
    }
  }
  return bytes;
}

std::vector<double> decode(cudaDataType_t type, const std::vector<unsigned char>& bytes) {
  std::vector<double> values(bytes.size() / element_bytes(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (type) {
      case CUDA_R_64F:
        values[i] = element<double>(bytes, i);
        break;
      case CUDA_R_32F:
        values[i] = element<float>(bytes, i);
        break;
      case CUDA_R_16F:
        values[i] = static_cast<float>(f16::from_bits(element<std::uint16_t>(bytes, i)));
        break;
      case CUDA_R_16BF:
        values[i] = static_cast<float>(bf16::from_bits(element<std::uint16_t>(bytes, i)));
        break;
      case CUDA_R_8F_E4M3:
        values[i] = static_cast<float>(f8e4m3::from_bits(bytes[i]));
        break;
      default:
        values[i] = static_cast<float>(f8e5m2::from_bits(bytes[i]));
        break;
    }
  }
  return values;
}

MatmulRun::Stored MatmulRun::stored(std::size_t rows,
                                    std::size_t cols,
                                    std::size_t pad,
                                    unsigned seed) const {
  Stored matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  const std::size_t line = spec.row_major ? cols : rows;
  const std::size_t lines = spec.row_major ? rows : cols;
  matrix.ld = line + pad;
  matrix.stride = matrix.ld * lines + spec.gap;
  // Small multiples of 1/4 are exact in every type, so inputs need no rounding.
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> quarters(-7, 7);
  matrix.values.resize(matrix.stride * spec.batch);
  for (double& value : matrix.values) value = quarters(random) / 4.0;
  return matrix;
}

double MatmulRun::stored_value(const Stored& matrix,
                               std::size_t row,
                               std::size_t col,
                               std::size_t index) const {
  const std::size_t offset = spec.row_major ? row * matrix.ld + col : row + col * matrix.ld;
  return matrix.values[index * matrix.stride + offset];
}

cublasLtMatrixLayout_t MatmulRun::layout(cudaDataType_t type, const Stored& matrix) const {
  cublasLtMatrixLayout_t result = nullptr;
  BOOST_REQUIRE_EQUAL(cublasLtMatrixLayoutCreate(&result, type, matrix.rows, matrix.cols,
                                                 static_cast<std::int64_t>(matrix.ld)),
                      CUBLAS_STATUS_SUCCESS);
  if (spec.row_major) {
    set(result, CUBLASLT_MATRIX_LAYOUT_ORDER, static_cast<std::int32_t>(CUBLASLT_ORDER_ROW));
  }
  if (spec.batch > 1) {
    set(result, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(spec.batch));
    set(result, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
        static_cast<std::int64_t>(matrix.stride));
  }
  return result;
}

char* MatmulRun::upload(const std::vector<unsigned char>& bytes) {
  char* device = nullptr;
  BOOST_REQUIRE_EQUAL(cudaMalloc(reinterpret_cast<void**>(&device), bytes.size()), cudaSuccess);
  BOOST_REQUIRE_EQUAL(cudaMemcpy(device, bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
                      cudaSuccess);
  return device;
}

std::vector<unsigned char> MatmulRun::read_bytes(std::size_t count, const char* from) {
  std::vector<unsigned char> bytes(count);
  BOOST_REQUIRE_EQUAL(cudaMemcpy(bytes.data(), from, count, cudaMemcpyDeviceToHost), cudaSuccess);
  return bytes;
}

std::vector<double> MatmulRun::read(cudaDataType_t type, std::size_t count, const char* from) {
  return decode(type, read_bytes(count, from));
}

MatmulRun::MatmulRun(const MatmulCase& of) : spec(of) {
  output_ = spec.output;
  BOOST_REQUIRE_EQUAL(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
  BOOST_REQUIRE_EQUAL(cublasLtMatmulDescCreate(&operation, spec.compute, spec.scale),
                      CUBLAS_STATUS_SUCCESS);
  set(CUBLASLT_MATMUL_DESC_TRANSA, static_cast<std::int32_t>(spec.trans_a));
  set(CUBLASLT_MATMUL_DESC_TRANSB, static_cast<std::int32_t>(spec.trans_b));
  stored_a_ = spec.trans_a ? stored(spec.k, spec.m, spec.pad_a, spec.seed)
                           : stored(spec.m, spec.k, spec.pad_a, spec.seed);
  stored_b_ = spec.trans_b ? stored(spec.n, spec.k, spec.pad_b, spec.seed + 1)
                           : stored(spec.k, spec.n, spec.pad_b, spec.seed + 1);
  stored_c_ = stored(spec.m, spec.n, spec.pad_d, spec.seed + 2);
  a_layout = layout(spec.input, stored_a_);
  b_layout = layout(spec.type_b(), stored_b_);
  c_layout = layout(output_, stored_c_);
  d_layout = layout(output_, stored_c_);
  a = upload(encode(spec.input, stored_a_.values));
  b = upload(encode(spec.type_b(), stored_b_.values));
  c = upload(encode(output_, stored_c_.values));
  d_bytes_ = stored_c_.values.size() * element_bytes(output_);
  BOOST_REQUIRE_EQUAL(cudaMalloc(reinterpret_cast<void**>(&d), d_bytes_), cudaSuccess);
  BOOST_REQUIRE_EQUAL(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  const std::uint64_t limit = spec.workspace;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &limit,
                                       sizeof(limit));
  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    cublasLtMatmulPreferenceSetAttribute(preference, attribute, &spec.alignment,
                                         sizeof(spec.alignment));
  }
  if (spec.workspace > 0) {
    BOOST_REQUIRE_EQUAL(cudaMalloc(reinterpret_cast<void**>(&workspace), spec.workspace),
                        cudaSuccess);
    workspace_bytes = spec.workspace;
  }
  scalars_[0] = spec.alpha;
  scalars_[1] = spec.beta;
  float_scalars_[0] = static_cast<float>(spec.alpha);
  float_scalars_[1] = static_cast<float>(spec.beta);
  const bool wide = spec.scale == CUDA_R_64F;
  alpha = wide ? static_cast<const void*>(&scalars_[0]) : &float_scalars_[0];
  beta = wide ? static_cast<const void*>(&scalars_[1]) : &float_scalars_[1];
  BOOST_REQUIRE_EQUAL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  make_epilogue();
  BOOST_REQUIRE_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
}

void MatmulRun::make_epilogue() {
  const std::uint32_t word = spec.epilogue;
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, word);
  constexpr std::uint32_t kBiasUsers =
      CUBLASLT_EPILOGUE_BIAS | 16 | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB;
  constexpr std::uint32_t kAuxUsers = 128;
  if ((word & kBiasUsers) != 0) {
    const std::size_t length = word == CUBLASLT_EPILOGUE_BGRADB ? spec.n : spec.m;
    std::mt19937 random(spec.seed + 3);
    std::uniform_int_distribution<int> quarters(-7, 7);
    bias_in.resize(length * spec.batch);
    for (double& value : bias_in) value = quarters(random) / 4.0;
    const auto bytes = encode(spec.bias, bias_in);
    bias_bytes_ = bytes.size();
    bias = upload(bytes);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(bias));
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<std::int32_t>(spec.bias));
    if (spec.batch > 1) {
      set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, static_cast<std::int64_t>(length));
    }
  }
  if ((word & kAuxUsers) != 0) {
    const bool bits = (word & (CUBLASLT_EPILOGUE_RELU | 8)) != 0;
    const std::size_t ld = round_up(spec.m, bits ? 128 : 8);
    const std::size_t elements = ld * spec.n * spec.batch;
    aux_size_ = bits ? elements / 8 : elements * element_bytes(output_);
    aux = upload(std::vector<unsigned char>(aux_size_, 0));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(aux));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, static_cast<std::int64_t>(ld));
    if (spec.batch > 1) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, static_cast<std::int64_t>(ld * spec.n));
    }
  }
}

void MatmulRun::set_aux(const std::vector<unsigned char>& bytes) {
  BOOST_REQUIRE_EQUAL(bytes.size(), aux_size_);
  BOOST_REQUIRE_EQUAL(cudaMemcpy(aux, bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
                      cudaSuccess);
  BOOST_REQUIRE_EQUAL(cudaDeviceSynchronize(), cudaSuccess);
}

MatmulRun::~MatmulRun() {
  cudaDeviceSynchronize();
  for (char* memory : {a, b, c, d, bias, aux, workspace}) cudaFree(memory);
  for (const auto matrix : {a_layout, b_layout, c_layout, d_layout}) {
    cublasLtMatrixLayoutDestroy(matrix);
  }
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatmulDescDestroy(operation);
  cublasLtDestroy(handle);
  cudaStreamDestroy(stream);
}

cublasStatus_t MatmulRun::find_algorithm() {
  return cublasLtMatmulAlgoGetHeuristic(handle, operation, a_layout, b_layout, c_layout, d_layout,
                                        preference, 2, results, &found);
}

cublasStatus_t MatmulRun::launch() {
  return cublasLtMatmul(handle, operation, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d,
                        d_layout, &results[0].algo, workspace, workspace_bytes, stream);
}

cublasStatus_t MatmulRun::launch_default() {
  return cublasLtMatmul(handle, operation, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d,
                        d_layout, nullptr, nullptr, 0, stream);
}

void MatmulRun::run() {
  BOOST_REQUIRE_EQUAL(find_algorithm(), CUBLAS_STATUS_SUCCESS);
  BOOST_REQUIRE_EQUAL(launch(), CUBLAS_STATUS_SUCCESS);
  BOOST_REQUIRE_EQUAL(cudaStreamSynchronize(stream), cudaSuccess);
}

double MatmulRun::a_value(std::size_t i, std::size_t l, std::size_t index) const {
  return spec.trans_a ? stored_value(stored_a_, l, i, index) : stored_value(stored_a_, i, l, index);
}

double MatmulRun::b_value(std::size_t l, std::size_t j, std::size_t index) const {
  return spec.trans_b ? stored_value(stored_b_, j, l, index) : stored_value(stored_b_, l, j, index);
}

double MatmulRun::c_value(std::size_t i, std::size_t j, std::size_t index) const {
  return stored_value(stored_c_, i, j, index);
}

std::size_t MatmulRun::d_offset(std::size_t i, std::size_t j, std::size_t index) const {
  const std::size_t inside = spec.row_major ? i * stored_c_.ld + j : i + j * stored_c_.ld;
  return index * stored_c_.stride + inside;
}

double MatmulRun::expected(std::size_t i, std::size_t j, std::size_t index) const {
  double sum = 0;
  for (std::size_t l = 0; l < spec.k; ++l) sum += a_value(i, l, index) * b_value(l, j, index);
  return spec.alpha * sum + spec.beta * c_value(i, j, index);
}

}  // namespace headroom::cuda_double
