#include "tests/doubles/cuda/cublaslt_compute.h"

#include "tests/doubles/cuda/cublaslt_types.h"

#include <cblas.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace headroom::cuda_double {
namespace {

/// A matrix as BLAS takes it: column-major, transposed or not.
template <class Real>
struct Source {
  const Real* data = nullptr;
  std::size_t ld = 0;
  bool transposed = false;
  std::vector<Real> owned;

  /// Element (i, j) of the operated matrix.
  [[nodiscard]] Real at(std::size_t i, std::size_t j) const {
    return transposed ? data[j + i * ld] : data[i + j * ld];
  }
};

float round_input(cublasComputeType_t compute, float value) {
  switch (compute) {
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return round_to_tf32(value);
    case CUBLAS_COMPUTE_32F_FAST_16BF:
      return round_through(CUDA_R_16BF, value);
    case CUBLAS_COMPUTE_32F_FAST_16F:
      return round_through(CUDA_R_16F, value);
    default:
      return value;
  }
}

bool rounds_inputs(cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUBLAS_COMPUTE_32F_FAST_16BF ||
         compute == CUBLAS_COMPUTE_32F_FAST_16F;
}

template <class Real>
Source<Real> source(const Problem& problem,
                    const Matrix& matrix,
                    bool transposed,
                    const void* base,
                    std::size_t index) {
  Source<Real> result;
  // A row-major matrix is the column-major one of its transpose.
  result.transposed = transposed != matrix.row_major;
  const char* const first =
      static_cast<const char*>(base) + index * matrix.stride * matrix.element_bytes;
  const bool direct = matrix.element_bytes == sizeof(Real) && !rounds_inputs(problem.compute);
  if (direct) {
    result.data = reinterpret_cast<const Real*>(first);
    result.ld = matrix.ld;
    return result;
  }
  const std::size_t line = matrix.line();
  result.owned.resize(line * matrix.lines());
  for (std::size_t i = 0; i < matrix.lines(); ++i) {
    Real* const to = result.owned.data() + i * line;
    load_many(matrix.type, first + i * matrix.ld * matrix.element_bytes, line, to);
    if constexpr (sizeof(Real) == sizeof(float)) {
      for (std::size_t j = 0; j < line; ++j) to[j] = round_input(problem.compute, to[j]);
    }
  }
  result.data = result.owned.data();
  result.ld = line;
  return result;
}

void gemm(const Problem& problem, const Source<float>& a, const Source<float>& b, float* product) {
  cblas_sgemm(CblasColMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, static_cast<blasint>(problem.m),
              static_cast<blasint>(problem.n), static_cast<blasint>(problem.k), 1.0F, a.data,
              static_cast<blasint>(a.ld), b.data, static_cast<blasint>(b.ld), 0.0F, product,
              static_cast<blasint>(problem.m));
}

void gemm(const Problem& problem,
          const Source<double>& a,
          const Source<double>& b,
          double* product) {
  cblas_dgemm(CblasColMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, static_cast<blasint>(problem.m),
              static_cast<blasint>(problem.n), static_cast<blasint>(problem.k), 1.0, a.data,
              static_cast<blasint>(a.ld), b.data, static_cast<blasint>(b.ld), 0.0, product,
              static_cast<blasint>(problem.m));
}

// cuBLASLt's GELU is the tanh form.
template <class Real>
struct Gelu {
  static constexpr Real kScale = static_cast<Real>(0.7978845608028654);  // sqrt(2 / pi)
  static constexpr Real kCubic = static_cast<Real>(0.044715);

  static Real value(Real x) {
    return Real{0.5} * x * (1 + std::tanh(kScale * (x + kCubic * x * x * x)));
  }
  static Real derivative(Real x) {
    const Real t = std::tanh(kScale * (x + kCubic * x * x * x));
    return Real{0.5} * (1 + t) + Real{0.5} * x * (1 - t * t) * kScale * (1 + 3 * kCubic * x * x);
  }
};

bool read_bit(const void* base, std::size_t index) {
  return (static_cast<const unsigned char*>(base)[index / 8] >> (index % 8) & 1) != 0;
}

void write_bit(void* base, std::size_t index, bool value) {
  auto& byte = static_cast<unsigned char*>(base)[index / 8];
  const auto mask = static_cast<unsigned char>(1U << (index % 8));
  byte = static_cast<unsigned char>(value ? byte | mask : byte & ~mask);
}

/// One matrix of the batch on its way from product to D.
template <class Real>
class Finisher {
 public:
  Finisher(const Problem& problem, const Operands& operands, std::size_t index)
      : problem_(problem), operands_(operands), index_(index), row_sums_(problem.m) {}

  void run(const std::vector<Real>& product, Real alpha, Real beta) {
    const Matrix& d = problem_.d;
    const Matrix& c = problem_.c;
    for (std::size_t j = 0; j < problem_.n; ++j) {
      for (std::size_t i = 0; i < problem_.m; ++i) {
        Real value = alpha * product[i + j * problem_.m];
        if (beta != 0) value += beta * element(c, operands_.c, i, j);
        value = finish(value, i, j);
        store(d.type, operands_.d, index_ * d.stride + offset(d, i, j), value);
      }
    }
    if (problem_.epilogue.bias_gradient) write_bias(row_sums_);
  }

  void write_bias(const std::vector<Real>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      store(problem_.bias_type, operands_.bias, index_ * operands_.bias_stride + i, values[i]);
    }
  }

 private:
  static std::size_t offset(const Matrix& matrix, std::size_t i, std::size_t j) {
    return matrix.row_major ? i * matrix.ld + j : i + j * matrix.ld;
  }

  Real element(const Matrix& matrix, const void* base, std::size_t i, std::size_t j) const {
    return static_cast<Real>(
        load(matrix.type, base, index_ * matrix.stride + offset(matrix, i, j)));
  }

  Real finish(Real value, std::size_t i, std::size_t j) {
    const Epilogue& epilogue = problem_.epilogue;
    if (epilogue.bias) {
      value += static_cast<Real>(
          load(problem_.bias_type, operands_.bias, index_ * operands_.bias_stride + i));
    }
    const std::size_t aux = index_ * operands_.aux_stride + i + j * operands_.aux_ld;
    if (epilogue.relu) {
      if (epilogue.write_aux) write_bit(operands_.aux, aux, value > 0);
      return value < 0 ? Real{0} : value;
    }
    if (epilogue.gelu) {
      if (epilogue.write_aux) store(problem_.aux_type, operands_.aux, aux, value);
      return Gelu<Real>::value(value);
    }
    if (epilogue.d_relu && !read_bit(operands_.aux, aux)) value = 0;
    if (epilogue.d_gelu) {
      value *=
          Gelu<Real>::derivative(static_cast<Real>(load(problem_.aux_type, operands_.aux, aux)));
    }
    if (epilogue.bias_gradient) row_sums_[i] += value;
    return value;
  }

  const Problem& problem_;
  const Operands& operands_;
  std::size_t index_;
  std::vector<Real> row_sums_;
};

template <class Real>
void compute_as(const Problem& problem, const Operands& operands) {
  const cudaDataType_t scale = problem.double_precision ? CUDA_R_64F : CUDA_R_32F;
  double alpha =
      operands.device_alpha == nullptr ? operands.alpha : load(scale, operands.device_alpha, 0);
  const double beta =
      operands.device_beta == nullptr ? operands.beta : load(scale, operands.device_beta, 0);
  for (const void* input_scale : {operands.a_scale, operands.b_scale}) {
    if (input_scale != nullptr) alpha *= load(CUDA_R_32F, input_scale, 0);
  }
  std::vector<Real> product(problem.m * problem.n);
  for (std::size_t index = 0; index < problem.d.batch; ++index) {
    const auto a = source<Real>(problem, problem.a, problem.trans_a, operands.a, index);
    const auto b = source<Real>(problem, problem.b, problem.trans_b, operands.b, index);
    gemm(problem, a, b, product.data());
    Finisher<Real> finisher(problem, operands, index);
    finisher.run(product, static_cast<Real>(alpha), static_cast<Real>(beta));
    if (!problem.epilogue.bias_gradient_a && !problem.epilogue.bias_gradient_b) continue;
    std::vector<Real> sums(problem.bias_length());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::size_t l = 0; l < problem.k; ++l) {
        sums[i] += problem.epilogue.bias_gradient_a ? a.at(i, l) : b.at(l, i);
      }
    }
    finisher.write_bias(sums);
  }
}

}  // namespace

void compute(const Problem& problem, const Operands& operands, unsigned char poison) {
  if (operands.workspace_bytes > 0) {
    std::memset(operands.workspace, poison, operands.workspace_bytes);
  }
  if (problem.double_precision) {
    compute_as<double>(problem, operands);
  } else {
    compute_as<float>(problem, operands);
  }
}

}  // namespace headroom::cuda_double
