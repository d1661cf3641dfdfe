#include "core/runtime/cpu/cpu_backend.h"
#include "core/runtime/kernel_context.h"

#include <cblas.h>
#include <omp.h>

#include <algorithm>

namespace headroom::runtime {
namespace {

/// Below this many multiply-adds a product is not worth waking threads for.
constexpr std::int64_t kSmallProduct = 1 << 17;
/// Panels in strict mode: enough for the cores of a desktop, few enough that each stays large.
constexpr std::int64_t kStrictPanels = 8;
/// Panel borders fall on multiples of this, the widest register tile of OpenBLAS kernels.
constexpr std::int64_t kPanelMultiple = 16;

void gemm(const Matmul& p, const float* a, const float* b, float* c, blasint m, blasint n) {
  cblas_sgemm(CblasRowMajor, p.transpose_a ? CblasTrans : CblasNoTrans,
              p.transpose_b ? CblasTrans : CblasNoTrans, m, n, static_cast<blasint>(p.k), 1.0F, a,
              static_cast<blasint>(p.lda), b, static_cast<blasint>(p.ldb),
              p.accumulate ? 1.0F : 0.0F, c, static_cast<blasint>(p.ldc));
}

void gemm(const Matmul& p, const double* a, const double* b, double* c, blasint m, blasint n) {
  cblas_dgemm(CblasRowMajor, p.transpose_a ? CblasTrans : CblasNoTrans,
              p.transpose_b ? CblasTrans : CblasNoTrans, m, n, static_cast<blasint>(p.k), 1.0, a,
              static_cast<blasint>(p.lda), b, static_cast<blasint>(p.ldb), p.accumulate ? 1.0 : 0.0,
              c, static_cast<blasint>(p.ldc));
}

/// One part of a product whose operands BLAS takes as they are.
template <class T>
void panel(const Matmul& p, const MatmulPanel& part) {
  const auto [index, m0, m1, n0, n1] = part;
  const T* a = static_cast<const T*>(p.a) + index * p.stride_a + (p.transpose_a ? m0 : m0 * p.lda);
  const T* b = static_cast<const T*>(p.b) + index * p.stride_b + (p.transpose_b ? n0 * p.ldb : n0);
  T* c = static_cast<T*>(p.c) + index * p.stride_c + m0 * p.ldc + n0;
  gemm(p, a, b, c, static_cast<blasint>(m1 - m0), static_cast<blasint>(n1 - n0));
  if (p.bias == nullptr) return;
  const T* bias = static_cast<const T*>(p.bias) + n0;
  for (std::int64_t i = 0; i < m1 - m0; ++i) {
    T* row = c + i * p.ldc;
#pragma omp simd
    for (std::int64_t j = 0; j < n1 - n0; ++j) row[j] += bias[j];
  }
}

/// Cuts the product into panels, `run_panel(panel, thread)`, which threads share.
template <class Run>
void run_panels(const Matmul& p, const CpuThreading& threading, const Run& run_panel) {
  const bool by_rows = p.m >= p.n;
  const std::int64_t length = by_rows ? p.m : p.n;
  const bool small = p.m * p.n * p.k < kSmallProduct;
  const std::int64_t wanted = small || p.batch > 1 ? 1
                              : threading.strict   ? kStrictPanels
                                                   : threading.threads;
  const std::int64_t tiles = (length + kPanelMultiple - 1) / kPanelMultiple;
  const std::int64_t panels = std::clamp<std::int64_t>(wanted, 1, tiles);
  const auto border = [&](std::int64_t i) {
    return std::min(length, tiles * i / panels * kPanelMultiple);
  };
  const auto run_job = [&](std::int64_t job) {
    const std::int64_t begin = border(job % panels);
    const std::int64_t end = border(job % panels + 1);
    const std::int64_t index = job / panels;
    run_panel(
        by_rows ? MatmulPanel{index, begin, end, 0, p.n} : MatmulPanel{index, 0, p.m, begin, end},
        omp_get_thread_num());
  };
  const std::int64_t jobs = panels * p.batch;
  if (jobs == 1) {
    const OneThread alone;
    run_job(0);
    return;
  }
  // Inside a parallel region the OpenMP build of OpenBLAS runs serially in its caller.
#pragma omp parallel for schedule(static) num_threads(threading.threads)
  for (std::int64_t job = 0; job < jobs; ++job) run_job(job);
}

}  // namespace

void CpuThread::matmul(const Matmul& product) {
  with_float_type(product.dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < product.batch; ++i) {
      const MatmulPanel whole{i, 0, product.m, 0, product.n};
      if constexpr (sizeof(T) >= sizeof(float)) {
        panel<T>(product, whole);
      } else {
        widened_.panel<T>(product, whole, number_);
      }
    }
  });
}

void CpuBackend::matmul(const Matmul& product) {
  if (product.m == 0 || product.n == 0 || product.batch == 0) return;
  with_float_type(product.dtype, [&]<class T>() {
    if constexpr (sizeof(T) >= sizeof(float)) {
      run_panels(product, threading_,
                 [&](const MatmulPanel& part, int) { panel<T>(product, part); });
    } else {
      widened_.prepare();
      run_panels(product, threading_, [&](const MatmulPanel& part, int thread) {
        widened_.panel<T>(product, part, thread);
      });
    }
  });
}

}  // namespace headroom::runtime
