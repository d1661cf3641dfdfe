#pragma once

#include <library_types.h>

#include <cstddef>

namespace headroom::cuda_double {

/// Element types that matmuls may hold: f64, f32, bf16, f16, fp8 E4M3 and E5M2.
[[nodiscard]] bool known_type(cudaDataType_t type);
[[nodiscard]] std::size_t bytes_of(cudaDataType_t type);
[[nodiscard]] const char* name_of(cudaDataType_t type);
[[nodiscard]] bool is_fp8(cudaDataType_t type);

/// Reads and writes single elements; writing rounds to nearest even. The narrow types are converted
/// by NVIDIA's own headers, so that the double shares no conversion code with what it tests.
[[nodiscard]] double load(cudaDataType_t type, const void* base, std::size_t index);
void store(cudaDataType_t type, void* base, std::size_t index, double value);

/// `count` consecutive elements as floats or doubles.
void load_many(cudaDataType_t type, const void* base, std::size_t count, float* to);
void load_many(cudaDataType_t type, const void* base, std::size_t count, double* to);

/// Rounds a float to the 10 mantissa bits of TF32, to nearest with ties away, as the conversion
/// instruction of tensor cores does (PTX: cvt.rna.tf32.f32).
[[nodiscard]] float round_to_tf32(float value);
[[nodiscard]] float round_through(cudaDataType_t type, float value);

}  // namespace headroom::cuda_double
