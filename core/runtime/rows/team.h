#pragma once

// Row programs: every kernel that is not a matrix product, written once for CPU and GPU.
//
// A row program is a struct of pointers and numbers with a call operator over a team and a row:
//
//   template <class T>
//   struct LayerNorm {
//     const T* x; const float* weight; const float* bias; T* y; float* rstd; std::int64_t columns;
//
//     std::int64_t row_elements() const { return columns; }           // optional, see host_rows.h
//
//     template <class Team>
//     HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
//       using A = rows::Accumulate<T>;                                 // double for double, or
//       float const T* xr = x + row * columns;                               // locals: loops see
//       no `this` T* yr = y + row * columns; const A n = static_cast<A>(columns); const A mean =
//       team.sum(columns, [](A v) { return v; }, xr) / n; const A var = team.sum(columns, [=](A v)
//       { return (v - mean) * (v - mean); }, xr) / n; const A r = rows::rsqrt(var + A(1e-5));
//       team.map(columns, yr, [=](A v, A w, A b) { return (v - mean) * r * w + b; }, xr, weight,
//                bias);
//       team.once([&] { rstd[row] = static_cast<float>(r); });
//     }
//   };
//
//   rows::run_rows_host(LayerNorm<bf16>{...}, row_count);               // host_rows.h
//   rows::launch_rows(stream, LayerNorm<bf16>{...}, row_count);         // device_rows.cuh
//
// Every lane of a team runs the program; calls on the team are collectives that all lanes reach
// together and that share the work. n may differ from row to row, and be 0; it is below 2^31.
//
// Loops over arrays. Elements are loaded as what the row computes in, A = AccumulateOf<x...>
// (double if any array is double, else float; integers come as they are), and rounded once when
// stored. Arrays may be any storage type with an explicit conversion to and from float. On a GPU
// these loops use 128-bit accesses where the row starts on a 16-byte boundary.
//   team.apply(n, f, x...)       f(x[i]...) for every i. x is a pointer (read only) or in(p),
//   out(p),
//                                inout(p), position(); written ones arrive as references:
//                                team.apply(n, [=](float& p, float& m, float g) {...},
//                                           inout(param), inout(moment), grad);
//   team.map(n, y, f, x...)      y[i] = f(x[i]...). y may be one of the x.
//   team.sum(n, f, x...)         sum of f(x[i]...). x may hold out() and inout() too.
//   team.sum2(n, f, x...)        f returns Pair{a, b}; both sums in one pass, as a Pair.
//   team.max(n, f, x...)         largest f(x[i]...); -inf for n = 0; NaN is passed over.
//   team.map_sum(n, y, f, x...)  map, and the sum of f's results before they are rounded into y.
// Loops over an index, for access that is not element by element (slower on a GPU: no 128-bit
// accesses). f takes std::int64_t; sums and maxima are in f's own type, float or double.
//   team.for_each(n, f)          f(i) for every i.
//   team.sum_index(n, f)         sum of f(i).
//   team.max_index(n, f)         largest f(i); NaN is passed over.
// Sums down the columns of a matrix, for gradients of biases and scales:
//   team.sum_rows(count, n, emit, f, x...)  for every column i < n: emit(i, sum of f(k, x_k[i]...)
//                                over k < count). x is strided(p, ld): x_k[i] = p[k * ld + i].
//                                f may return a Pair; emit then gets a Pair.
// The rest:
//   team.once(f)                 one lane runs f. For every write that is not in a loop.
//   team.sync()                  a barrier. Needed only where two uniform steps (below) conflict.
//
// Rules that hold on a GPU, that SerialTeam cannot see and SimTeam catches (run both in tests):
// - Every collective has a barrier at both ends: what it wrote is seen by all after it, and code
//   between collectives ("uniform" code, run by every lane) may read any array there.
// - Uniform code writes nothing but its own local variables. `loss[row] = s` goes under once(), and
//   `z[target] -= p` outside it would be done 256 times.
// - A local variable assigned in a lambda of for_each, apply or once is assigned in that lane only.
//   Results come back through arrays or return values.
// - Inside one loop, body i touches no element that another body writes.
// - Rows run at the same time: no row writes what another row reads or writes.
// - No exceptions, no std:: containers; constants and helper functions must be usable on a device
//   (mark helpers HEADROOM_HD). Elementary functions come from core/runtime/rows/math.h.

#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/pair.h"
#include "core/runtime/rows/serial_team.h"
#include "core/runtime/rows/storage.h"

#include <concepts>
#include <cstdint>

namespace headroom::runtime::rows {

namespace team_detail {

struct Identity {
  HEADROOM_HD float operator()(float v) const { return v; }
};
struct Twice {
  HEADROOM_HD Pair<float> operator()(float v) const { return {v, v}; }
};
struct AtIndex {
  HEADROOM_HD float operator()(std::int64_t i) const { return static_cast<float>(i); }
};
struct Nothing {
  HEADROOM_HD void operator()() const {}
};

}  // namespace team_detail

/// What a row program may ask of its team; the calls are explained above.
template <class T>
concept Team = requires(T team, std::int64_t n, const float* x, float* y) {
  team.apply(n, team_detail::Identity{}, x);
  team.map(n, y, team_detail::Identity{}, x);
  { team.sum(n, team_detail::Identity{}, x) } -> std::same_as<float>;
  { team.sum2(n, team_detail::Twice{}, x) } -> std::same_as<Pair<float>>;
  { team.max(n, team_detail::Identity{}, x) } -> std::same_as<float>;
  { team.map_sum(n, y, team_detail::Identity{}, x) } -> std::same_as<float>;
  team.for_each(n, team_detail::AtIndex{});
  { team.sum_index(n, team_detail::AtIndex{}) } -> std::same_as<float>;
  { team.max_index(n, team_detail::AtIndex{}) } -> std::same_as<float>;
  team.once(team_detail::Nothing{});
  team.sync();
};

static_assert(Team<SerialTeam>);

}  // namespace headroom::runtime::rows
