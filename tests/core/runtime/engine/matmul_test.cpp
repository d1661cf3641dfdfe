#include "core/runtime/cpu/cpu_device.h"
#include "core/runtime/random/philox.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace headroom::runtime {
namespace {

struct Case {
  std::int64_t m, n, k, batch;
};

std::vector<double> random_values(std::int64_t count, std::uint64_t stream) {
  const RandomStream random(1, stream);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] =
        static_cast<double>(random.uniform(static_cast<std::uint64_t>(i))) - 0.5;
  }
  return values;
}

/// One element by the definition.
double expected(const Matmul& p,
                const std::vector<double>& a,
                const std::vector<double>& b,
                std::int64_t batch,
                std::int64_t i,
                std::int64_t j) {
  double sum = 0;
  for (std::int64_t x = 0; x < p.k; ++x) {
    const std::int64_t at = batch * p.stride_a + (p.transpose_a ? x * p.lda + i : i * p.lda + x);
    const std::int64_t bt = batch * p.stride_b + (p.transpose_b ? j * p.ldb + x : x * p.ldb + j);
    sum += a[static_cast<std::size_t>(at)] * b[static_cast<std::size_t>(bt)];
  }
  return sum;
}

void check(
    const Case& size, bool ta, bool tb, bool accumulate, bool with_bias, int threads, bool strict) {
  const auto device = make_cpu_device(threads, strict);
  const std::int64_t pad = 3;  // leading dimensions larger than the rows
  Matmul p{.dtype = DType::kF64,
           .m = size.m,
           .n = size.n,
           .k = size.k,
           .transpose_a = ta,
           .transpose_b = tb,
           .lda = (ta ? size.m : size.k) + pad,
           .ldb = (tb ? size.k : size.n) + pad,
           .ldc = size.n + pad,
           .batch = size.batch,
           .accumulate = accumulate};
  p.stride_a = (ta ? size.k : size.m) * p.lda;
  p.stride_b = (tb ? size.n : size.k) * p.ldb;
  p.stride_c = size.m * p.ldc;
  const auto a = random_values(p.stride_a * size.batch, 1);
  const auto b = random_values(p.stride_b * size.batch, 2);
  const auto bias = random_values(size.n, 3);
  auto c = random_values(p.stride_c * size.batch, 4);
  const auto before = c;
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  if (with_bias) p.bias = bias.data();
  device->queue().matmul(p);
  for (std::int64_t batch = 0; batch < size.batch; ++batch) {
    for (std::int64_t i = 0; i < size.m; ++i) {
      for (std::int64_t j = 0; j < p.ldc; ++j) {
        const auto at = static_cast<std::size_t>(batch * p.stride_c + i * p.ldc + j);
        if (j >= size.n) {
          BOOST_REQUIRE(c[at] == before[at]);  // the gap between rows belongs to others
          continue;
        }
        double value = expected(p, a, b, batch, i, j);
        if (accumulate) value += before[at];
        if (with_bias) value += bias[static_cast<std::size_t>(j)];
        BOOST_REQUIRE_SMALL(c[at] - value, 1e-12 * static_cast<double>(size.k + 1));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(products_of_every_layout_agree_with_the_definition) {
  for (const Case& size : {Case{1, 1, 1, 1}, Case{7, 5, 3, 1}, Case{65, 130, 33, 1},
                           Case{130, 65, 64, 1}, Case{9, 17, 4, 5}}) {
    for (int bits = 0; bits < 16; ++bits) {
      const bool strict = (bits & 1) != 0;
      check(size, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, false, 3, strict);
    }
    check(size, false, true, false, true, 2, false);
    check(size, false, false, false, true, 2, true);
  }
}

// A product that is not empty but has nothing to add up is zero.
BOOST_AUTO_TEST_CASE(an_empty_inner_dimension_gives_zero) {
  const auto device = make_cpu_device(1, false);
  std::vector<float> c(4, 5.0F);
  device->queue().matmul({.m = 2,
                          .n = 2,
                          .k = 0,
                          .a = c.data(),
                          .b = c.data(),
                          .c = c.data(),
                          .lda = 1,
                          .ldb = 2,
                          .ldc = 2});
  for (float value : c) BOOST_TEST(value == 0.0F);
}

}  // namespace
}  // namespace headroom::runtime
