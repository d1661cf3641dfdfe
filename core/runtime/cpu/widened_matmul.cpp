#include "core/runtime/cpu/widened_matmul.h"

#include "core/describe/convert.h"

#include <cblas.h>

#include <algorithm>

namespace headroom::runtime {
namespace {

// A block's share of the second-level cache is small beside the work done on it: every widened
// element takes part in several hundred multiplications.
constexpr std::int64_t kBlockM = 512;
constexpr std::int64_t kBlockN = 512;
constexpr std::int64_t kBlockK = 768;
constexpr std::int64_t kBufferElements = kBlockM * kBlockK + kBlockK * kBlockN + kBlockM * kBlockN;

/// Widens `rows` x `columns` elements into a dense block.
template <class T>
void widen(
    const T* from, std::int64_t ld, std::int64_t rows, std::int64_t columns, float* __restrict to) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* __restrict source = from + r * ld;
    float* __restrict target = to + r * columns;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) target[c] = static_cast<float>(source[c]);
  }
}

/// Rows of sums into the result, with what was there and the bias.
template <class T>
void round_into(const Matmul& p,
                const float* sums,
                std::int64_t rows,
                std::int64_t columns,
                const T* bias,
                T* to) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* __restrict source = sums + r * columns;
    T* __restrict target = to + r * p.ldc;
    if (p.accumulate || bias != nullptr) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const float before = p.accumulate ? static_cast<float>(target[c]) : 0.0F;
        const float offset = bias != nullptr ? static_cast<float>(bias[c]) : 0.0F;
        target[c] = T(before + source[c] + offset);
      }
    } else {
#pragma omp simd
      for (std::int64_t c = 0; c < columns; ++c) target[c] = T(source[c]);
    }
  }
}

}  // namespace

void WidenedMatmul::prepare() {
  for (auto& buffer : buffers_) {
    if (buffer == nullptr) buffer = std::make_unique<float[]>(kBufferElements);
  }
}

std::int64_t WidenedMatmul::bytes() const {
  const bool made = !buffers_.empty() && buffers_[0] != nullptr;
  return made ? static_cast<std::int64_t>(buffers_.size()) * kBufferElements * 4 : 0;
}

template <class T>
void WidenedMatmul::panel(const Matmul& p, const MatmulPanel& panel, int thread) {
  float* a_block = buffers_[static_cast<std::size_t>(thread)].get();
  float* b_block = a_block + kBlockM * kBlockK;
  float* sums = b_block + kBlockK * kBlockN;
  const T* a = static_cast<const T*>(p.a) + panel.index * p.stride_a;
  const T* b = static_cast<const T*>(p.b) + panel.index * p.stride_b;
  const bool wide_result = p.result() == DType::kF32;

  for (std::int64_t n = panel.n0; n < panel.n1; n += kBlockN) {
    const std::int64_t columns = std::min(kBlockN, panel.n1 - n);
    for (std::int64_t m = panel.m0; m < panel.m1; m += kBlockM) {
      const std::int64_t rows = std::min(kBlockM, panel.m1 - m);
      const std::int64_t corner = panel.index * p.stride_c + m * p.ldc + n;
      float* c = wide_result ? static_cast<float*>(p.c) + corner : sums;
      const std::int64_t ldc = wide_result ? p.ldc : columns;
      for (std::int64_t k = 0; k < p.k; k += kBlockK) {
        const std::int64_t depth = std::min(kBlockK, p.k - k);
        const T* a_corner = p.transpose_a ? a + k * p.lda + m : a + m * p.lda + k;
        const T* b_corner = p.transpose_b ? b + n * p.ldb + k : b + k * p.ldb + n;
        widen(a_corner, p.lda, p.transpose_a ? depth : rows, p.transpose_a ? rows : depth, a_block);
        widen(b_corner, p.ldb, p.transpose_b ? columns : depth, p.transpose_b ? depth : columns,
              b_block);
        const bool add = k > 0 || (wide_result && p.accumulate);
        cblas_sgemm(CblasRowMajor, p.transpose_a ? CblasTrans : CblasNoTrans,
                    p.transpose_b ? CblasTrans : CblasNoTrans, static_cast<blasint>(rows),
                    static_cast<blasint>(columns), static_cast<blasint>(depth), 1.0F, a_block,
                    static_cast<blasint>(p.transpose_a ? rows : depth), b_block,
                    static_cast<blasint>(p.transpose_b ? depth : columns), add ? 1.0F : 0.0F, c,
                    static_cast<blasint>(ldc));
      }
      if (!wide_result) {
        const T* bias = p.bias == nullptr ? nullptr : static_cast<const T*>(p.bias) + n;
        round_into(p, sums, rows, columns, bias, static_cast<T*>(p.c) + corner);
      } else if (p.bias != nullptr) {
        const float* bias = static_cast<const float*>(p.bias) + n;
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t j = 0; j < columns; ++j) c[r * ldc + j] += bias[j];
        }
      }
    }
  }
}

template void WidenedMatmul::panel<bf16>(const Matmul&, const MatmulPanel&, int);
template void WidenedMatmul::panel<f16>(const Matmul&, const MatmulPanel&, int);

}  // namespace headroom::runtime
