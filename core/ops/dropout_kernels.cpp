#include "core/ops/dropout.h"
#include "core/ops/kernels.h"
#include "core/ops/write_or_add.h"
#include "core/runtime/backend.h"
#include "core/runtime/random/philox.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;
using runtime::PhiloxBlock;

/// The random numbers of one call of one dropout: two calls of a run share none, since the cipher
/// turns their different counters into different keys and streams.
struct DropoutBits {
  std::uint32_t key0, key1, stream0, stream1;

  DropoutBits(const runtime::Scalars& scalars, std::uint32_t instance) {
    constexpr std::uint32_t kDropout = 0x64726f70;  // sets it apart from other uses of the seed
    const PhiloxBlock block = runtime::philox4x32(
        {{static_cast<std::uint32_t>(scalars.step), static_cast<std::uint32_t>(scalars.micro_batch),
          instance, kDropout}},
        static_cast<std::uint32_t>(scalars.seed), static_cast<std::uint32_t>(scalars.seed >> 32));
    key0 = block.words[0];
    key1 = block.words[1];
    stream0 = block.words[2];
    stream1 = block.words[3];
  }
};

/// y (+)= x where kept, scaled. A row's quarters share their blocks of four random words, so that
/// each word is used and neighbouring elements come from neighbouring blocks.
template <class T>
struct DropElements {
  using A = rows::Accumulate<T>;
  const T* x;
  T* y;
  rows::FlatRows flat;
  DropoutBits bits;
  std::uint32_t threshold;
  A scale;
  bool add;

  static constexpr std::int64_t kQuarter = rows::FlatRows::kRow / 4;

  [[nodiscard]] std::int64_t row_elements() const { return 2 * rows::FlatRows::kRow; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t begin = flat.begin(row);
    const std::int64_t n = flat.size(row);
    if (n < rows::FlatRows::kRow) {
      drop_partly(team, row, n);
    } else if (add) {
      T* const to = y + begin;
      drop_all(team, row, rows::inout(to), rows::inout(to + kQuarter),
               rows::inout(to + 2 * kQuarter), rows::inout(to + 3 * kQuarter));
    } else {
      T* const to = y + begin;
      drop_all(team, row, rows::out(to), rows::out(to + kQuarter), rows::out(to + 2 * kQuarter),
               rows::out(to + 3 * kQuarter));
    }
  }

 private:
  HEADROOM_HD PhiloxBlock words(std::int64_t first, std::int32_t j) const {
    // `first` is a multiple of 1024 and j below it: no carry.
    return runtime::philox4x32(
        {{static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(j),
          static_cast<std::uint32_t>(first >> 32), bits.stream0, bits.stream1}},
        bits.key0, bits.key1);
  }
  HEADROOM_HD A kept(std::uint32_t word, A value) const {
    return word >= threshold ? value * scale : A(0);
  }

  /// What is only written starts as 0.
  template <class Team, class... Y>
  HEADROOM_HD void drop_all(Team& team, std::int64_t row, Y... to) const {
    const DropElements self = *this;
    const T* const from = x + flat.begin(row);
    const std::int64_t first = row * kQuarter;
    team.apply(
        kQuarter,
        [=](A& y0, A& y1, A& y2, A& y3, A x0, A x1, A x2, A x3, std::int32_t j) {
          const PhiloxBlock block = self.words(first, j);
          y0 += self.kept(block.words[0], x0);
          y1 += self.kept(block.words[1], x1);
          y2 += self.kept(block.words[2], x2);
          y3 += self.kept(block.words[3], x3);
        },
        to..., rows::in(from), rows::in(from + kQuarter), rows::in(from + 2 * kQuarter),
        rows::in(from + 3 * kQuarter), rows::position());
  }

  template <class Team>
  HEADROOM_HD void drop_partly(Team& team, std::int64_t row, std::int64_t n) const {
    const DropElements self = *this;
    const std::int64_t first = row * kQuarter;
    for (int q = 0; q < 4; ++q) {
      const std::int64_t skipped = q * kQuarter;
      const std::int64_t left = n - skipped;
      if (left <= 0) return;
      const std::int64_t begin = flat.begin(row) + skipped;
      write_or_add(
          team, left < kQuarter ? left : kQuarter, y + begin, add,
          [=](A v, std::int32_t j) { return self.kept(self.words(first, j).words[q], v); },
          rows::in(x + begin), rows::position());
    }
  }
};

/// y (+)= x.
template <class T>
struct Forwarded {
  const T* x;
  T* y;
  rows::FlatRows flat;
  bool add;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    using A = rows::Accumulate<T>;
    const std::int64_t begin = flat.begin(row);
    write_or_add(
        team, flat.size(row), y + begin, add, [](A v) { return v; }, rows::in(x + begin));
  }
};

template <class T>
void forward_value(KernelContext& context, const T* x, T* y, bool add) {
  const rows::FlatRows flat{context.input_type(0).shape.numel()};
  if (x == y && !add) return;
  runtime::backend(context).rows(Forwarded<T>{x, y, flat, add}, flat.rows());
}

template <class T>
void drop(KernelContext& context, const T* x, T* y, bool add) {
  using A = rows::Accumulate<T>;
  const Dropout& op = context.op<Dropout>();
  const bool keeps_all = context.scalars().evaluating;
  const rows::FlatRows flat{context.input_type(0).shape.numel()};
  runtime::backend(context).rows(
      DropElements<T>{.x = x,
                      .y = y,
                      .flat = flat,
                      .bits = DropoutBits(context.scalars(), op.options().instance),
                      .threshold = keeps_all ? 0 : op.threshold(),
                      .scale = static_cast<A>(keeps_all ? 1 : 1 / (1 - op.options().p)),
                      .add = add},
      flat.rows());
}

template <class T>
void forward_typed(KernelContext& context) {
  const std::int64_t count = context.input_type(0).shape.numel();
  const bool residual = context.op<Dropout>().options().residual;
  const T* x = context.read<T>(Dropout::kX);
  T* y = context.write<T>(0, count);
  if (residual) forward_value(context, context.read<T>(Dropout::kResidual), y, false);
  drop(context, x, y, residual);
}

template <class T>
void backward_typed(KernelContext& context) {
  const std::int64_t count = context.input_type(0).shape.numel();
  const T* dy = context.read<T>(context.output_gradient(0));
  // First the residual's: it leaves dy as it is even where it lies over it, which dx may not.
  if (context.op<Dropout>().options().residual && context.has_write(Dropout::kResidual)) {
    forward_value(context, dy, context.write<T>(Dropout::kResidual, count),
                  context.accumulates(Dropout::kResidual));
  }
  if (context.has_write(Dropout::kX)) {
    drop(context, dy, context.write<T>(Dropout::kX, count), context.accumulates(Dropout::kX));
  }
}

void forward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { forward_typed<T>(context); });
}

void backward(KernelContext& context) {
  runtime::with_float_type(context.input_type(0).dtype,
                           [&]<class T>() { backward_typed<T>(context); });
}

}  // namespace

void register_dropout(runtime::KernelTable& table) {
  table.add(Dropout::kName, Pass::kForward, forward);
  table.add(Dropout::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
