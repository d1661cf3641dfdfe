// Matrix products against the definition, for every layout the ops use and sizes nobody tunes for.

#include "core/describe/convert.h"
#include "tests/core/runtime/cuda/double.h"

#include <cmath>

namespace headroom {
namespace {

using runtime::Matmul;
using test::DeviceMemoryBlock;
using test::Double;

struct Case {
  std::int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
  bool accumulate = false, bias = false;
  std::int64_t batch = 1;
  std::int64_t pad = 0;     ///< unused elements at the end of every row
  std::int64_t offset = 0;  ///< elements by which the operands miss the alignment of memory
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    for (bool ta : {false, true}) {
      for (bool tb : {false, true}) {
        list.push_back({.m = 3, .n = 5, .k = 7, .transpose_a = ta, .transpose_b = tb});
        list.push_back({.m = 16,
                        .n = 8,
                        .k = 24,
                        .transpose_a = ta,
                        .transpose_b = tb,
                        .accumulate = true,
                        .bias = true});
        list.push_back({.m = 13,
                        .n = 37,
                        .k = 37,
                        .transpose_a = ta,
                        .transpose_b = tb,
                        .accumulate = true,
                        .pad = 3,
                        .offset = 1});
        list.push_back({.m = 6,
                        .n = 10,
                        .k = 2,
                        .transpose_a = ta,
                        .transpose_b = tb,
                        .bias = true,
                        .batch = 4,
                        .pad = 1});
      }
    }
    list.push_back({.m = 1, .n = 1, .k = 1});
    list.push_back({.m = 1, .n = 9, .k = 4, .bias = true});
    list.push_back({.m = 9, .n = 1, .k = 4, .transpose_a = true});
    return list;
  }();
  return all;
}

/// A matrix batch on host and device: `rows` rows of `columns`, `pad` unused elements after each.
template <class T>
struct Operand {
  Operand(runtime::Device& owner,
          const Case& c,
          std::int64_t row_count,
          std::int64_t column_count,
          unsigned seed)
      : rows(row_count),
        columns(column_count),
        ld(column_count + c.pad),
        stride(row_count * ld),
        values(static_cast<std::size_t>(stride * c.batch + c.offset)),
        device(owner, values.size() * sizeof(T)),
        offset(c.offset) {
    unsigned state = seed * 2654435761U + 1;
    for (T& v : values) {
      state = state * 1664525U + 1013904223U;
      v = static_cast<T>(static_cast<double>(state >> 8) / (1 << 24) - 0.5);
    }
    owner.copy_to_device(device.get(), values.data(), bytes());
  }
  [[nodiscard]] Bytes bytes() const {
    return Bytes(static_cast<std::int64_t>(values.size() * sizeof(T)));
  }
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(device.get()) + offset; }
  [[nodiscard]] double at(std::int64_t b, std::int64_t row, std::int64_t column) const {
    return static_cast<double>(
        values[static_cast<std::size_t>(offset + b * stride + row * ld + column)]);
  }

  std::int64_t rows, columns, ld, stride;
  std::vector<T> values;
  DeviceMemoryBlock device;
  std::int64_t offset;
};

template <class T>
struct Problem {
  Problem(runtime::Device& device, const Case& parameters)
      : c(parameters),
        a(device, c, c.transpose_a ? c.k : c.m, c.transpose_a ? c.m : c.k, 1),
        b(device, c, c.transpose_b ? c.n : c.k, c.transpose_b ? c.k : c.n, 2),
        result(device, c, c.m, c.n, 3),
        bias(device, {.m = 1, .n = c.n, .k = 1}, 1, c.n, 4) {}
  [[nodiscard]] Matmul product() const {
    return {.dtype = dtype_of<T>,
            .m = c.m,
            .n = c.n,
            .k = c.k,
            .transpose_a = c.transpose_a,
            .transpose_b = c.transpose_b,
            .a = a.data(),
            .b = b.data(),
            .c = result.data(),
            .lda = a.ld,
            .ldb = b.ld,
            .ldc = result.ld,
            .batch = c.batch,
            .stride_a = c.batch > 1 ? a.stride : 0,
            .stride_b = c.batch > 1 ? b.stride : 0,
            .stride_c = c.batch > 1 ? result.stride : 0,
            .accumulate = c.accumulate,
            .bias = c.bias ? bias.data() : nullptr};
  }
  [[nodiscard]] double expected(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    double sum = c.accumulate ? result.at(batch, i, j) : 0;
    if (c.bias) sum += bias.at(0, 0, j);
    for (std::int64_t l = 0; l < c.k; ++l) {
      const double left = c.transpose_a ? a.at(batch, l, i) : a.at(batch, i, l);
      const double right = c.transpose_b ? b.at(batch, j, l) : b.at(batch, l, j);
      sum += left * right;
    }
    return sum;
  }

  Case c;
  Operand<T> a, b, result, bias;
};

template <class T>
void check(runtime::Device& device, const Case& c, double tolerance) {
  Problem<T> problem(device, c);
  device.queue().matmul(problem.product());
  std::vector<T> got(problem.result.values.size());
  device.copy_to_host(got.data(), problem.result.device.get(), problem.result.bytes());
  for (std::int64_t b = 0; b < c.batch; ++b) {
    for (std::int64_t i = 0; i < c.m; ++i) {
      for (std::int64_t j = 0; j < problem.result.ld; ++j) {
        const std::int64_t at = c.offset + b * problem.result.stride + i * problem.result.ld + j;
        const bool inside = j < c.n;
        // What lies between the rows is not the product's to touch.
        const double expected = inside ? problem.expected(b, i, j) : problem.result.at(b, i, j);
        const double allowed = inside ? tolerance * std::sqrt(static_cast<double>(c.k)) : 0;
        BOOST_REQUIRE_LE(
            std::abs(static_cast<double>(got[static_cast<std::size_t>(at)]) - expected), allowed);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(products_in_f32, Double) {
  const auto device = open();
  const DeviceMemoryBlock workspace(*device, std::size_t{32} << 20);
  device->set_matmul_workspace(workspace.get(), device->matmul_workspace_size());
  // Far below TF32's rounding of 2^-11.
  for (const Case& c : cases()) check<float>(*device, c, 2e-7);
}

BOOST_FIXTURE_TEST_CASE(products_in_f64, Double) {
  const auto device = open();
  const DeviceMemoryBlock workspace(*device, std::size_t{32} << 20);
  device->set_matmul_workspace(workspace.get(), device->matmul_workspace_size());
  for (const Case& c : cases()) check<double>(*device, c, 1e-15);
}

BOOST_FIXTURE_TEST_CASE(a_plan_used_again_takes_the_bias_of_its_call, Double) {
  const auto device = open();
  const Case plain{.m = 4, .n = 8, .k = 4, .bias = true};
  const Problem<double> problem(*device, plain);
  const Operand<double> other(*device, {.m = 1, .n = 8, .k = 1}, 1, 8, 9);
  device->queue().matmul(problem.product());
  Matmul again = problem.product();
  again.bias = other.data();
  device->queue().matmul(again);
  std::vector<double> got(problem.result.values.size());
  device->copy_to_host(got.data(), problem.result.device.get(), problem.result.bytes());
  for (std::int64_t i = 0; i < plain.m; ++i) {
    for (std::int64_t j = 0; j < plain.n; ++j) {
      const double expected =
          problem.expected(0, i, j) - problem.bias.at(0, 0, j) + other.at(0, 0, j);
      BOOST_REQUIRE_SMALL(got[static_cast<std::size_t>(i * plain.n + j)] - expected, 1e-14);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(another_workspace_means_another_plan, Double) {
  const auto device = open();
  const DeviceMemoryBlock large(*device, std::size_t{32} << 20);
  device->set_matmul_workspace(large.get(), Bytes(32 << 20));
  const Problem<float> problem(*device, {.m = 64, .n = 64, .k = 64});
  device->queue().matmul(problem.product());
  const DeviceMemoryBlock small(*device, 256);
  device->set_matmul_workspace(small.get(), Bytes(256));
  const auto before = counters();
  device->queue().matmul(problem.product());
  device->synchronize();
  BOOST_TEST(counters().heuristic_queries == before.heuristic_queries + 1);
}

BOOST_FIXTURE_TEST_CASE(an_empty_product_does_nothing, Double) {
  const auto device = open();
  const auto before = counters();
  device->queue().matmul({.m = 0, .n = 4, .k = 4});
  BOOST_TEST(counters().matmuls == before.matmuls);
}

BOOST_FIXTURE_TEST_CASE(a_product_is_planned_once, Double) {
  const auto device = open();
  const DeviceMemoryBlock workspace(*device, std::size_t{32} << 20);
  device->set_matmul_workspace(workspace.get(), device->matmul_workspace_size());
  const Case plain{.m = 12, .n = 20, .k = 8, .bias = true};
  const Problem<float> first(*device, plain);
  const Problem<float> second(*device, plain);
  const auto queries = [this](const Matmul& product, runtime::Device& owner) {
    const auto before = counters().heuristic_queries;
    owner.queue().matmul(product);
    return counters().heuristic_queries - before;
  };
  BOOST_TEST(queries(first.product(), *device) == 1U);
  BOOST_TEST(queries(first.product(), *device) == 0U);
  // Other operands, another bias, and adding to the result all run by the same plan.
  BOOST_TEST(queries(second.product(), *device) == 0U);
  Matmul adding = second.product();
  adding.accumulate = true;
  BOOST_TEST(queries(adding, *device) == 0U);
  // Another shape, no bias, and less aligned memory do not.
  Matmul narrow = first.product();
  narrow.n = 16;
  BOOST_TEST(queries(narrow, *device) == 1U);
  Matmul plainer = first.product();
  plainer.bias = nullptr;
  BOOST_TEST(queries(plainer, *device) == 1U);
  Matmul shifted = plainer;
  shifted.a = first.a.data() + 1;
  shifted.m = 11;
  BOOST_TEST(queries(shifted, *device) == 1U);
  BOOST_TEST(queries(first.product(), *device) == 0U);
  device->synchronize();
}

}  // namespace
}  // namespace headroom
