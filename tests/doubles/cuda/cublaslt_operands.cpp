#include "tests/doubles/cuda/cublaslt_operands.h"

#include "tests/doubles/cuda/cublaslt_types.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace headroom::cuda_double {
namespace {

Refusal invalid(std::string why) { return {CUBLAS_STATUS_INVALID_VALUE, std::move(why)}; }

/// One named stretch of memory that the matmul reads or writes.
struct Part {
  const char* name;
  const void* base;
  std::size_t bytes;
  std::size_t alignment;
  Access access;
};

std::size_t aux_bytes(const Problem& problem, const Operands& operands) {
  const std::size_t elements =
      (problem.d.batch - 1) * operands.aux_stride + (problem.n - 1) * operands.aux_ld + problem.m;
  const bool bits = problem.epilogue.relu || problem.epilogue.d_relu;
  return bits ? (elements + 7) / 8 : elements * bytes_of(problem.aux_type);
}

Refusal check_aux(const Problem& problem, const Operands& operands) {
  const bool bits = problem.epilogue.relu || problem.epilogue.d_relu;
  const std::size_t unit = bits ? 128 : 8;
  if (operands.aux == nullptr) return invalid("the epilogue needs an auxiliary pointer");
  if (operands.aux_ld < problem.m || operands.aux_ld % unit != 0) {
    return invalid("the auxiliary leading dimension must be at least " + std::to_string(problem.m) +
                   " and divisible by " + std::to_string(unit) + ", not " +
                   std::to_string(operands.aux_ld));
  }
  if (problem.d.batch > 1 &&
      (operands.aux_stride % unit != 0 || operands.aux_stride < operands.aux_ld * problem.n)) {
    return invalid("the auxiliary batch stride must hold one matrix and be divisible by " +
                   std::to_string(unit));
  }
  return {};
}

Refusal check_bias(const Problem& problem, const Operands& operands) {
  if (operands.bias == nullptr) return invalid("the epilogue needs a bias pointer");
  if (problem.d.batch > 1 && problem.epilogue.writes_bias() &&
      operands.bias_stride < problem.bias_length()) {
    return invalid("the bias gradients of the batch overlap");
  }
  return {};
}

std::vector<Part> list_parts(const Problem& problem,
                             const Operands& operands,
                             const AlgorithmData& algorithm) {
  using Kind = Access::Kind;
  std::vector<Part> parts;
  const auto matrix = [&](const char* name, const void* base, const Matrix& of,
                          std::size_t alignment, Kind kind) {
    parts.push_back({name, base, of.span_bytes(), alignment, {of.extent(base), kind}});
  };
  matrix("A", operands.a, problem.a, algorithm.alignment[0], Kind::kRead);
  matrix("B", operands.b, problem.b, algorithm.alignment[1], Kind::kRead);
  matrix("C", operands.c, problem.c, algorithm.alignment[2], Kind::kRead);
  matrix("D", operands.d, problem.d, algorithm.alignment[3], Kind::kWrite);
  const auto flat = [&](const char* name, const void* base, std::size_t bytes,
                        std::size_t alignment, Kind kind) {
    parts.push_back({name, base, bytes, alignment, {contiguous(base, bytes), kind}});
  };
  const Epilogue& epilogue = problem.epilogue;
  if (epilogue.uses_bias()) {
    const std::size_t count = (problem.d.batch - 1) * operands.bias_stride + problem.bias_length();
    flat("the bias", operands.bias, count * bytes_of(problem.bias_type), kAlignment,
         epilogue.writes_bias() ? Kind::kWrite : Kind::kRead);
  }
  if (epilogue.uses_aux()) {
    flat("the auxiliary matrix", operands.aux, aux_bytes(problem, operands), kAlignment,
         epilogue.write_aux ? Kind::kWrite : Kind::kRead);
  }
  const std::size_t scalar = problem.double_precision ? sizeof(double) : sizeof(float);
  if (problem.device_scalars) {
    flat("alpha", operands.device_alpha, scalar, scalar, Kind::kRead);
    flat("beta", operands.device_beta, scalar, scalar, Kind::kRead);
  }
  if (operands.a_scale != nullptr) {
    flat("the scale of A", operands.a_scale, sizeof(float), sizeof(float), Kind::kRead);
  }
  if (operands.b_scale != nullptr) {
    flat("the scale of B", operands.b_scale, sizeof(float), sizeof(float), Kind::kRead);
  }
  if (operands.workspace_bytes > 0) {
    constexpr std::size_t kWorkspaceAlignment = 256;
    flat("the workspace", operands.workspace, operands.workspace_bytes, kWorkspaceAlignment,
         Kind::kWrite);
  }
  return parts;
}

Refusal check_part(const Memory& memory, const Part& part) {
  const std::string name = part.name;
  if (part.base == nullptr) return invalid(name + " is a null pointer");
  if (memory.space(part.base) != Space::kDevice) {
    return invalid(name + " is not device memory but " + memory.describe(part.base));
  }
  if (reinterpret_cast<std::uintptr_t>(part.base) % part.alignment != 0) {
    return invalid(name + " is not aligned to " + std::to_string(part.alignment) +
                   " bytes: " + memory.describe(part.base));
  }
  const std::string problem = memory.range_problem(part.base, part.bytes);
  if (!problem.empty()) return invalid(name + " " + problem);
  return {};
}

bool same_place(const Problem& problem, const Operands& operands) {
  const Matrix& c = problem.c;
  const Matrix& d = problem.d;
  return operands.c == operands.d && c.ld == d.ld && (d.batch == 1 || c.stride == d.stride);
}

Refusal check_overlaps(const Problem& problem,
                       const Operands& operands,
                       const std::vector<Part>& parts) {
  for (const Part& written : parts) {
    if (written.access.kind != Access::Kind::kWrite) continue;
    for (const Part& other : parts) {
      if (&other == &written) continue;
      const bool in_place = written.base == operands.d && other.base == operands.c &&
                            std::string(written.name) == "D" && std::string(other.name) == "C" &&
                            same_place(problem, operands);
      if (in_place || !overlap(written.access.extent, other.access.extent)) continue;
      return invalid(std::string(written.name) + " overlaps " + other.name);
    }
  }
  return {};
}

}  // namespace

Refusal check_strides(const Problem& problem, const std::uint32_t (&alignment)[4]) {
  const char* const names[] = {"A", "B", "C", "D"};
  const Matrix* const matrices[] = {&problem.a, &problem.b, &problem.c, &problem.d};
  for (int i = 0; i < 4; ++i) {
    const Matrix& matrix = *matrices[i];
    if (matrix.element_bytes > 2) continue;
    const std::string name = std::string(name_of(matrix.type)) + " " + names[i];
    if (matrix.ld * matrix.element_bytes % alignment[i] != 0) {
      return {CUBLAS_STATUS_NOT_SUPPORTED,
              "the leading dimension " + std::to_string(matrix.ld) + " of " + name +
                  " does not keep columns aligned to " + std::to_string(alignment[i]) + " bytes"};
    }
    if (matrix.batch > 1 && matrix.stride * matrix.element_bytes % alignment[i] != 0) {
      return {CUBLAS_STATUS_NOT_SUPPORTED,
              "the batch stride " + std::to_string(matrix.stride) + " of " + name +
                  " does not keep matrices aligned to " + std::to_string(alignment[i]) + " bytes"};
    }
  }
  return {};
}

std::uint64_t wanted_workspace(const Problem& problem, std::uint64_t limit) {
  constexpr std::uint64_t kUnit = 256;
  const std::uint64_t product =
      std::uint64_t{4} * problem.m * problem.n * problem.d.batch;  // one f32 copy of the result
  const std::uint64_t wanted = (product + kUnit - 1) / kUnit * kUnit;
  return std::min(wanted, limit / kUnit * kUnit);
}

Refusal check_operands(const Memory& memory,
                       const Problem& problem,
                       const Operands& operands,
                       const AlgorithmData& algorithm,
                       std::vector<Access>& accesses) {
  Refusal refusal;
  if (problem.epilogue.uses_bias()) refusal = check_bias(problem, operands);
  if (!refusal.refused() && problem.epilogue.uses_aux()) refusal = check_aux(problem, operands);
  if (refusal.refused()) return refusal;
  const std::vector<Part> parts = list_parts(problem, operands, algorithm);
  for (const Part& part : parts) {
    refusal = check_part(memory, part);
    if (refusal.refused()) return refusal;
    accesses.push_back(part.access);
  }
  return check_overlaps(problem, operands, parts);
}

}  // namespace headroom::cuda_double
