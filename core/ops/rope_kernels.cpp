#include "core/describe/error.h"
#include "core/ops/kernels.h"
#include "core/ops/rope.h"
#include "core/runtime/backend.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/serial_team.h"
#include "core/runtime/rows/storage.h"

#include <type_traits>

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

/// Cosines, then sines, of a position's angles.
template <class A>
struct Angles {
  double frequency[Rope::kMaxPairs];
  std::int64_t pairs, first_position;
  A* table;

  [[nodiscard]] std::int64_t row_elements() const { return 8 * pairs; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t t) const {
    const auto position = static_cast<double>(first_position + t);
    const double* const radians = frequency;
    const std::int64_t n = pairs;
    A* const cosines = table + t * 2 * n;
    team.for_each(n, [=](std::int64_t i) {
      const rows::SineCosine<A> turned = rows::sine_cosine<A>(position * radians[i]);
      cosines[i] = turned.cosine;
      cosines[n + i] = turned.sine;
    });
  }
};

/// y (+)= x with the pairs of its first heads turned by their angles times `direction`.
template <class T, RopePairs kPairs>
struct Turn {
  using A = rows::Accumulate<T>;
  const T* x;
  const A* table;
  T* y;
  std::int64_t time, columns, heads, pairs;
  A direction;
  bool accumulate;

  [[nodiscard]] std::int64_t row_elements() const { return columns; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const Turn self = *this;
    const T* const from = x + row * columns;
    T* const to = y + row * columns;
    const A* const cosines = table + row % time * 2 * pairs;
    const A* const sines = cosines + pairs;
    const auto turn = [=](std::int64_t head, std::int64_t i) {
      constexpr bool kHalves = kPairs == RopePairs::kHalves;
      const std::int64_t first = head * 2 * self.pairs + (kHalves ? i : 2 * i);
      const std::int64_t second = kHalves ? first + self.pairs : first + 1;
      const A a = rows::load_as<A>(from[first]);
      const A b = rows::load_as<A>(from[second]);
      const A c = cosines[i];
      const A s = self.direction * sines[i];
      const A before_a = self.accumulate ? rows::load_as<A>(to[first]) : A(0);
      const A before_b = self.accumulate ? rows::load_as<A>(to[second]) : A(0);
      to[first] = rows::store_as<T>(before_a + (a * c - b * s));
      to[second] = rows::store_as<T>(before_b + (b * c + a * s));
    };
    if constexpr (std::is_same_v<Team, rows::SerialTeam>) {
      // Vectors run over the pairs of a head.
      for (std::int64_t head = 0; head < heads; ++head) {
        team.for_each(pairs, [=](std::int64_t i) { turn(head, i); });
      }
    } else {
      // A head alone would leave most of a block idle.
      team.for_each(heads * pairs, [=](std::int64_t n) { turn(n / self.pairs, n % self.pairs); });
    }
    const std::int64_t done = heads * 2 * pairs;
    if (accumulate) {
      team.apply(
          columns - done, [](A& v, A add) { v += add; }, rows::inout(to + done),
          rows::in(from + done));
    } else if (from != to) {
      team.map(
          columns - done, to + done, [](A v) { return v; }, rows::in(from + done));
    }
  }
};

/// y (+)= x turned forward or back.
template <class T>
void turn(KernelContext& context, const T* x, T* y, bool back, bool accumulate) {
  using A = rows::Accumulate<T>;
  const auto& op = context.op<Rope>();
  const Shape& shape = context.input_type(0).shape;
  const std::int64_t time = shape[1].size;
  const std::int64_t pairs = op.options().head_dim / 2;
  auto& backend = runtime::backend(context);
  Angles<A> angles{.frequency = {},
                   .pairs = pairs,
                   .first_position = op.options().first_position,
                   .table = context.workspace<A>(time * 2 * pairs)};
  const auto frequencies = op.frequencies();
  for (std::int64_t i = 0; i < pairs; ++i) {
    angles.frequency[i] = frequencies[static_cast<std::size_t>(i)];
  }
  backend.rows(angles, time);
  const auto run = [&]<RopePairs kPairs>() {
    backend.rows(Turn<T, kPairs>{x, angles.table, y, time, shape.columns(), op.options().heads,
                                 pairs, back ? A(-1) : A(1), accumulate},
                 shape.rows());
  };
  if (op.options().pairs == RopePairs::kHalves) {
    run.template operator()<RopePairs::kHalves>();
  } else {
    run.template operator()<RopePairs::kNeighbours>();
  }
}

void forward(KernelContext& context) {
  const TensorType& type = context.input_type(0);
  runtime::with_float_type(type.dtype, [&]<class T>() {
    turn<T>(context, context.read<T>(0), context.write<T>(0, type.shape.numel()), false,
            context.accumulates(0));
  });
}

void backward(KernelContext& context) {
  const TensorType& type = context.input_type(0);
  const std::size_t upstream = context.output_gradient(0);
  if (!context.has_read(upstream)) {
    throw Error("[rope] a rotation cannot be a step's loss; add a loss behind it");
  }
  runtime::with_float_type(type.dtype, [&]<class T>() {
    turn<T>(context, context.read<T>(upstream), context.write<T>(0, type.shape.numel()), true,
            context.accumulates(0));
  });
}

}  // namespace

void register_rope(runtime::KernelTable& table) {
  table.add(Rope::kName, Pass::kForward, forward);
  table.add(Rope::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
