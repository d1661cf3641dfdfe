// Row programs on this machine's cores against a parallel memcpy of the same bytes and against the
// same loops over the scalar C library, all measured in this process:
//   rows_bench [repeats, 9 unless given]
// `x memcpy` is the time over that of moving the same bytes; `libm/ours` shows that loops with
// elementary functions are vectorised.

#include "core/describe/convert.h"
#include "core/runtime/rows/column_sum.h"
#include "core/runtime/rows/host_rows.h"
#include "tests/core/runtime/rows/programs.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

namespace {

using namespace headroom;
using namespace headroom::runtime::rows;
using testing::AdamW;
using testing::CrossEntropy;
using testing::Gelu;
using testing::LayerNorm;
using testing::Softmax;

int repeats = 9;

/// Shortest of `repeats` runs, in seconds.
double best_time(const std::function<void()>& work) {
  work();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// Time to read half of `bytes` and write the other half, all threads together.
double memcpy_time(double bytes) {
  const auto half = static_cast<std::size_t>(bytes / 2);
  std::vector<char> from(half, 1);
  std::vector<char> to(half, 2);
  return best_time([&] {
#pragma omp parallel
    {
      const auto threads = static_cast<std::size_t>(omp_get_num_threads());
      const auto part = static_cast<std::size_t>(omp_get_thread_num());
      const std::size_t begin = half * part / threads;
      std::memcpy(to.data() + begin, from.data() + begin, half * (part + 1) / threads - begin);
    }
  });
}

/// One line of the table. `libm_seconds` is 0 where there is nothing to compare with.
void report(const char* name, double bytes, double seconds, double libm_seconds) {
  std::printf("%-34s %9.3f ms %7.2f GB/s %6.2f x memcpy", name, seconds * 1e3,
              bytes / seconds / 1e9, seconds / memcpy_time(bytes));
  if (libm_seconds > 0) std::printf(" %6.1f libm/ours", libm_seconds / seconds);
  std::printf("\n");
}

template <class T>
std::vector<T> values(std::int64_t count, float scale) {
  std::vector<T> result(static_cast<std::size_t>(count));
  std::uint32_t state = 1;
  for (T& v : result) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<T>((static_cast<float>(state >> 8) / 8388608.0f - 1.0f) * scale);
  }
  return result;
}

/// y = f(x) over a flat array.
template <class F>
struct Map {
  const float* x;
  float* y;
  FlatRows flat;
  std::int64_t row_elements() const { return FlatRows::kRow; }
  template <class Team>
  void operator()(Team& team, std::int64_t row) const {
    team.map(flat.size(row), y + flat.begin(row), F{}, x + flat.begin(row));
  }
};
struct Exp {
  float operator()(float v) const { return runtime::rows::exp(v); }
};
struct LibmExp {
  float operator()(float v) const { return std::exp(v); }
};
struct LibmGelu {
  float operator()(float v) const { return 0.5f * v * (1 + std::erf(v * 0.70710678f)); }
};
struct GeluTanh {
  float operator()(float v) const {
    return 0.5f * v * (1 + runtime::rows::tanh(0.79788456f * (v + 0.044715f * v * v * v)));
  }
};
struct LibmGeluTanh {
  float operator()(float v) const {
    return 0.5f * v * (1 + std::tanh(0.79788456f * (v + 0.044715f * v * v * v)));
  }
};

template <class F>
double map_time(const std::vector<float>& x, std::vector<float>& y) {
  const FlatRows flat{static_cast<std::int64_t>(x.size())};
  return best_time([&] { run_rows_host(Map<F>{x.data(), y.data(), flat}, flat.rows()); });
}

void bench_maps() {
  const auto x = values<float>(std::int64_t{4096} * 3072, 4.0f);
  std::vector<float> y(x.size());
  const double bytes = static_cast<double>(x.size()) * 8;
  report("exp 12.6 M f32", bytes, map_time<Exp>(x, y), map_time<LibmExp>(x, y));
  report("GELU tanh 12.6 M f32", bytes, map_time<GeluTanh>(x, y), map_time<LibmGeluTanh>(x, y));
  const FlatRows flat{static_cast<std::int64_t>(x.size())};
  const double exact = best_time([&] {
    run_rows_host(Gelu<float>{x.data(), y.data(), flat}, flat.rows());
  });
  report("GELU exact 12.6 M f32", bytes, exact, map_time<LibmGelu>(x, y));
}

template <class T>
void bench_layer_norm(const char* name) {
  constexpr std::int64_t kRows = 4096;
  constexpr std::int64_t kColumns = 768;
  const auto x = values<T>(kRows * kColumns, 2.0f);
  auto y = x;
  const auto weight = values<float>(kColumns, 1.0f);
  std::vector<float> mean(kRows);
  std::vector<float> rstd(kRows);
  const LayerNorm<T> program{x.data(),    weight.data(), weight.data(), y.data(),
                             mean.data(), rstd.data(),   kColumns,      1e-5f};
  report(name, static_cast<double>(x.size() * sizeof(T)) * 2,
         best_time([&] { run_rows_host(program, kRows); }), 0);
}

struct LibmSoftmax {
  float* x;
  std::int64_t columns;
  std::int64_t row_elements() const { return columns; }
  template <class Team>
  void operator()(Team& team, std::int64_t row) const {
    float* xr = x + row * columns;
    const float largest = team.max(
        columns, [](float v) { return v; }, xr);
    const float sum = team.map_sum(
        columns, xr, [=](float v) { return std::exp(v - largest); }, xr);
    team.apply(
        columns, [=](float& v) { v /= sum; }, inout(xr));
  }
};

void bench_softmax() {
  constexpr std::int64_t kRows = 12288;
  constexpr std::int64_t kColumns = 1024;
  auto x = values<float>(kRows * kColumns, 4.0f);
  const double seconds = best_time([&] {
    run_rows_host(Softmax<float>{x.data(), kColumns}, kRows);
  });
  const double libm = best_time([&] { run_rows_host(LibmSoftmax{x.data(), kColumns}, kRows); });
  report("softmax 12288 x 1024 f32, in place", static_cast<double>(x.size()) * 8, seconds, libm);

  constexpr std::int64_t kVocabulary = 50304;
  constexpr std::int64_t kTokens = 512;
  auto logits = values<float>(kTokens * kVocabulary, 4.0f);
  const std::vector<std::int32_t> target(kTokens, 7);
  std::vector<float> loss(kTokens);
  const CrossEntropy program{logits.data(), target.data(), loss.data(), kVocabulary, 1.0f};
  report("cross-entropy 512 x 50304 f32", static_cast<double>(logits.size()) * 8,
         best_time([&] { run_rows_host(program, kTokens); }), 0);
}

void bench_adamw() {
  constexpr std::int64_t kParameters = 25'000'000;
  auto p = values<float>(kParameters, 1.0f);
  auto m = values<float>(kParameters, 0.1f);
  std::vector<float> v(static_cast<std::size_t>(kParameters), 0.01f);
  const auto g = values<float>(kParameters, 1.0f);
  const AdamW<float> program{p.data(), m.data(), v.data(), g.data(), {kParameters}, 1e-3f,
                             0.9f,     0.999f,   1e-8f,    0.1f,     1.0f,          1.0f};
  report("AdamW 25 M f32", static_cast<double>(kParameters) * 28,
         best_time([&] { run_rows_host(program, program.flat.rows()); }), 0);
}

struct OnHost {
  template <class Program>
  void operator()(const Program& program, std::int64_t rows) const {
    run_rows_host(program, rows);
  }
};

void bench_column_sum() {
  const ColumnCut cut{4096, 3072};
  const auto x = values<float>(cut.rows * cut.columns, 1.0f);
  std::vector<float> buffer(static_cast<std::size_t>(cut.buffer_elements()));
  std::vector<float> out(static_cast<std::size_t>(cut.columns));
  report("column sum 4096 x 3072 f32", static_cast<double>(x.size()) * 4, best_time([&] {
           column_sum(OnHost{}, cut, x.data(), cut.columns, buffer.data(), out.data(), false);
         }),
         0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) repeats = std::max(1, std::atoi(argv[1]));
  std::printf("%d threads, best of %d\n", omp_get_max_threads(), repeats);
  bench_maps();
  bench_layer_norm<float>("layer norm 4096 x 768 f32");
  bench_layer_norm<bf16>("layer norm 4096 x 768 bf16");
  bench_layer_norm<f16>("layer norm 4096 x 768 f16");
  bench_softmax();
  bench_adamw();
  bench_column_sum();
  return 0;
}
