#include "core/ops/embedding.h"
#include "core/ops/kernels.h"
#include "core/ops/write_or_add.h"
#include "core/runtime/backend.h"
#include "core/runtime/float_types.h"
#include "core/runtime/rows/flat.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {
namespace {

namespace rows = runtime::rows;
using runtime::KernelContext;

template <class T, class P>
struct EmbeddingForward {
  using A = rows::Accumulate<T>;
  const std::int32_t* tokens;
  const P* table;
  const P* positions;  ///< or nullptr
  T* y;
  std::int64_t table_rows, columns, length;

  [[nodiscard]] std::int64_t row_elements() const { return columns; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t token = tokens[row];
    T* const to = y + row * columns;
    if (token < 0 || token >= table_rows) {
      team.apply(
          columns, [](A& v) { v = static_cast<A>(__builtin_nanf("")); }, rows::out(to));
      return;
    }
    const P* const from = table + token * columns;
    if (positions == nullptr) {
      team.map(
          columns, to, [](A v) { return v; }, rows::in(from));
    } else {
      team.map(
          columns, to, [](A v, A p) { return v + p; }, rows::in(from),
          rows::in(positions + row % length * columns));
    }
  }
};

/// One row: leaves in `order` the places of the tokens, sorted by token, equal tokens in order of
/// place; see TokenSort.
struct SortTokens {
  const std::int32_t* tokens;
  std::int32_t* order;
  std::int32_t* spare;   ///< a second set of places
  std::int32_t* counts;  ///< (digits, chunks), then a total per digit
  std::int64_t count;
  std::int32_t table_rows;
  int passes;

  [[nodiscard]] std::int64_t row_elements() const { return 2 * count * passes; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t /*row*/) const {
    const std::int32_t* from = nullptr;
    for (int pass = 0; pass < passes; ++pass) {
      // The last pass must end in `order`.
      std::int32_t* const to = (passes - pass) % 2 != 0 ? order : spare;
      sort_by_digit(team, pass * TokenSort::kDigitBits, from, to);
      from = to;
    }
  }

 private:
  template <class Team>
  HEADROOM_HD void sort_by_digit(Team& team,
                                 int shift,
                                 const std::int32_t* from,
                                 std::int32_t* to) const {
    constexpr std::int64_t kChunks = TokenSort::kChunks;
    constexpr std::int64_t kDigits = TokenSort::kDigits;
    const SortTokens self = *this;
    std::int32_t* const totals = counts + kDigits * kChunks;
    team.for_each(kChunks, [=](std::int64_t chunk) {
      std::int32_t* const mine = self.counts + chunk;
      for (std::int64_t d = 0; d < kDigits; ++d) mine[d * kChunks] = 0;
      const std::int64_t end = self.count * (chunk + 1) / kChunks;
      for (std::int64_t i = self.count * chunk / kChunks; i < end; ++i) {
        ++mine[self.digit(self.place(from, i), shift) * kChunks];
      }
    });
    // Counters become the number of smaller tokens before the chunk's first of that digit.
    team.for_each(kDigits, [=](std::int64_t d) {
      std::int32_t sum = 0;
      for (std::int64_t chunk = 0; chunk < kChunks; ++chunk) {
        std::int32_t& counter = self.counts[d * kChunks + chunk];
        const std::int32_t here = counter;
        counter = sum;
        sum += here;
      }
      totals[d] = sum;
    });
    team.once([=] {
      std::int32_t sum = 0;
      for (std::int64_t d = 0; d < kDigits; ++d) {
        const std::int32_t here = totals[d];
        totals[d] = sum;
        sum += here;
      }
    });
    team.for_each(kChunks, [=](std::int64_t chunk) {
      std::int32_t* const mine = self.counts + chunk;
      const std::int64_t end = self.count * (chunk + 1) / kChunks;
      for (std::int64_t i = self.count * chunk / kChunks; i < end; ++i) {
        const std::int32_t place = self.place(from, i);
        const std::int64_t d = self.digit(place, shift);
        to[totals[d] + mine[d * kChunks]++] = place;
      }
    });
  }

  static HEADROOM_HD std::int32_t place(const std::int32_t* from, std::int64_t i) {
    return from == nullptr ? static_cast<std::int32_t>(i) : from[i];
  }
  HEADROOM_HD std::int64_t digit(std::int32_t place, int shift) const {
    const std::int32_t token = tokens[place];
    const std::int32_t key = token < 0 || token > table_rows ? table_rows : token;
    return (key >> shift) & static_cast<std::int32_t>(TokenSort::kDigits - 1);
  }
};

template <class A>
struct Zeros {
  A* y;
  rows::FlatRows flat;

  [[nodiscard]] std::int64_t row_elements() const { return rows::FlatRows::kRow; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    team.apply(
        flat.size(row), [](A& v) { v = 0; }, rows::out(y + flat.begin(row)));
  }
};

/// Row: a place in the sorted order. Where a token's run begins, the whole run is added to its row
/// of the table's gradient; the other places have nothing to do.
template <class T>
struct AddRuns {
  using A = rows::Accumulate<T>;
  const std::int32_t* tokens;
  const std::int32_t* order;
  const T* dy;
  A* gradient;
  std::int64_t count, columns;
  std::int32_t table_rows;

  [[nodiscard]] std::int64_t row_elements() const { return columns; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t begin) const {
    const std::int32_t token = tokens[order[begin]];
    if (token < 0 || token >= table_rows) return;
    if (begin > 0 && tokens[order[begin - 1]] == token) return;
    A* const to = gradient + token * columns;
    constexpr std::int64_t kAtOnce = 4;
    std::int64_t i = begin;
    while (i < count && tokens[order[i]] == token) {
      const std::int64_t last = i + kAtOnce - 1;
      if (last < count && tokens[order[last]] == token) {
        team.apply(
            columns, [](A& sum, A a, A b, A c, A d) { sum = (((sum + a) + b) + c) + d; },
            rows::inout(to), part(i), part(i + 1), part(i + 2), part(i + 3));
        i += kAtOnce;
      } else {
        team.apply(
            columns, [](A& sum, A a) { sum += a; }, rows::inout(to), part(i));
        ++i;
      }
    }
  }

 private:
  HEADROOM_HD rows::In<T> part(std::int64_t i) const { return rows::in(dy + order[i] * columns); }
};

/// Row: a position, whose gradient is the sum over the sequences, or 0 past their length.
template <class T>
struct PositionGradient {
  using A = rows::Accumulate<T>;
  const T* dy;
  A* gradient;
  std::int64_t sequences, length, columns;
  bool add;

  [[nodiscard]] std::int64_t row_elements() const { return (sequences + 1) * columns; }
  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t position) const {
    A* const to = gradient + position * columns;
    const bool keep = add;
    if (position >= length) {
      if (!keep) {
        team.apply(
            columns, [](A& v) { v = 0; }, rows::out(to));
      }
      return;
    }
    team.sum_rows(
        sequences, columns, [=](std::int64_t i, A sum) { to[i] = keep ? to[i] + sum : sum; },
        [](std::int64_t /*k*/, A v) { return v; },
        rows::strided(dy + position * columns, length * columns));
  }
};

template <class T, class P>
void forward_typed(KernelContext& context) {
  const Shape& tokens = context.input_type(Embedding::kTokens).shape;
  const Shape& table = context.input_type(Embedding::kTable).shape;
  const bool positions = context.op<Embedding>().options().positions;
  runtime::backend(context).rows(
      EmbeddingForward<T, P>{
          .tokens = context.read<std::int32_t>(Embedding::kTokens),
          .table = context.read<P>(Embedding::kTable),
          .positions = positions ? context.read<P>(Embedding::kPositions) : nullptr,
          .y = context.write<T>(0, tokens.numel() * table.columns()),
          .table_rows = table[0].size,
          .columns = table.columns(),
          .length = tokens.columns()},
      tokens.numel());
}

template <class T>
void table_gradient(KernelContext& context, const T* dy) {
  using A = rows::Accumulate<T>;
  const Shape& table = context.input_type(Embedding::kTable).shape;
  const std::int64_t count = context.input_type(Embedding::kTokens).shape.numel();
  const auto table_rows = static_cast<std::int32_t>(table[0].size);
  const auto* tokens = context.read<std::int32_t>(Embedding::kTokens);
  const TokenSort sort{count, table_rows};
  auto* order = context.workspace<std::int32_t>(sort.workspace_elements());
  A* gradient = context.write<A>(Embedding::kTable, table.numel());
  auto& backend = runtime::backend(context);
  if (!context.accumulates(Embedding::kTable)) {
    const rows::FlatRows flat{table.numel()};
    backend.rows(Zeros<A>{gradient, flat}, flat.rows());
  }
  backend.rows(SortTokens{.tokens = tokens,
                          .order = order,
                          .spare = order + count,
                          .counts = order + 2 * count,
                          .count = count,
                          .table_rows = table_rows,
                          .passes = sort.passes()},
               1);
  backend.rows(AddRuns<T>{.tokens = tokens,
                          .order = order,
                          .dy = dy,
                          .gradient = gradient,
                          .count = count,
                          .columns = table.columns(),
                          .table_rows = table_rows},
               count);
}

template <class T>
void backward_typed(KernelContext& context) {
  using A = rows::Accumulate<T>;
  const T* dy = context.read<T>(context.output_gradient(0));
  if (context.has_write(Embedding::kTable)) table_gradient<T>(context, dy);
  if (!context.op<Embedding>().options().positions || !context.has_write(Embedding::kPositions)) {
    return;
  }
  const Shape& tokens = context.input_type(Embedding::kTokens).shape;
  const Shape& positions = context.input_type(Embedding::kPositions).shape;
  runtime::backend(context).rows(
      PositionGradient<T>{.dy = dy,
                          .gradient = context.write<A>(Embedding::kPositions, positions.numel()),
                          .sequences = tokens.rows(),
                          .length = tokens.columns(),
                          .columns = positions.columns(),
                          .add = context.accumulates(Embedding::kPositions)},
      positions[0].size);
}

void forward(KernelContext& context) {
  runtime::with_float_types(context.write_type(0).dtype,
                            context.input_type(Embedding::kTable).dtype,
                            [&]<class T, class P>() { forward_typed<T, P>(context); });
}

void backward(KernelContext& context) {
  runtime::with_float_types(context.read_type(context.output_gradient(0)).dtype,
                            context.input_type(Embedding::kTable).dtype,
                            [&]<class T, class P>() { backward_typed<T>(context); });
}

}  // namespace

void register_embedding(runtime::KernelTable& table) {
  table.add(Embedding::kName, Pass::kForward, forward);
  table.add(Embedding::kName, Pass::kBackward, backward);
}

}  // namespace headroom::ops::HEADROOM_KERNELS
