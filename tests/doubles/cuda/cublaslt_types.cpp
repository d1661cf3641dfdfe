#include "tests/doubles/cuda/cublaslt_types.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace headroom::cuda_double {
namespace {

float from_fp8(std::uint8_t bits, __nv_fp8_interpretation_t kind) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, kind)));
}

template <class T>
T read(const void* base, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void write(void* base, std::size_t index, T value) {
  std::memcpy(static_cast<char*>(base) + index * sizeof(T), &value, sizeof(T));
}

template <class T>
void load_all(cudaDataType_t type, const void* base, std::size_t count, T* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(load(type, base, i));
}

}  // namespace

bool known_type(cudaDataType_t type) { return bytes_of(type) != 0; }

std::size_t bytes_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_16BF:
    case CUDA_R_16F:
      return 2;
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return 1;
    default:
      return 0;
  }
}

const char* name_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F:
      return "f64";
    case CUDA_R_32F:
      return "f32";
    case CUDA_R_16BF:
      return "bf16";
    case CUDA_R_16F:
      return "f16";
    case CUDA_R_8F_E4M3:
      return "fp8 E4M3";
    case CUDA_R_8F_E5M2:
      return "fp8 E5M2";
    default:
      return "a type that is not modelled";
  }
}

bool is_fp8(cudaDataType_t type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

double load(cudaDataType_t type, const void* base, std::size_t index) {
  switch (type) {
    case CUDA_R_64F:
      return read<double>(base, index);
    case CUDA_R_32F:
      return read<float>(base, index);
    case CUDA_R_16BF:
      return __bfloat162float(read<__nv_bfloat16>(base, index));
    case CUDA_R_16F:
      return __half2float(read<__half>(base, index));
    case CUDA_R_8F_E4M3:
      return from_fp8(read<std::uint8_t>(base, index), __NV_E4M3);
    case CUDA_R_8F_E5M2:
      return from_fp8(read<std::uint8_t>(base, index), __NV_E5M2);
    default:
      return 0;
  }
}

void store(cudaDataType_t type, void* base, std::size_t index, double value) {
  switch (type) {
    case CUDA_R_64F:
      return write(base, index, value);
    case CUDA_R_32F:
      return write(base, index, static_cast<float>(value));
    case CUDA_R_16BF:
      return write(base, index, __float2bfloat16_rn(static_cast<float>(value)));
    case CUDA_R_16F:
      return write(base, index, __float2half_rn(static_cast<float>(value)));
    default:
      return;
  }
}

void load_many(cudaDataType_t type, const void* base, std::size_t count, float* to) {
  if (type == CUDA_R_32F) {
    std::memcpy(to, base, count * sizeof(float));
    return;
  }
  load_all(type, base, count, to);
}

void load_many(cudaDataType_t type, const void* base, std::size_t count, double* to) {
  load_all(type, base, count, to);
}

float round_to_tf32(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  constexpr std::uint32_t kExponent = 0x7F80'0000;
  if ((bits & kExponent) == kExponent) return value;  // infinities and NaNs stay
  constexpr std::uint32_t kHalf = 0x1000;
  constexpr std::uint32_t kDropped = 0x1FFF;
  bits = (bits + kHalf) & ~kDropped;
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

float round_through(cudaDataType_t type, float value) {
  return type == CUDA_R_16BF ? __bfloat162float(__float2bfloat16_rn(value))
                             : __half2float(__float2half_rn(value));
}

}  // namespace headroom::cuda_double
