#pragma once

#include "core/ops/norm.h"
#include "core/ops/write_or_add.h"
#include "core/runtime/backend.h"
#include "core/runtime/float_types.h"
#include "core/runtime/rows/column_sum.h"
#include "core/runtime/rows/math.h"
#include "core/runtime/rows/storage.h"

namespace headroom::ops::HEADROOM_KERNELS {

namespace rows = runtime::rows;

/// Row programs of layer norm (Centered) and RMS norm. T is what activations are stored in, P what
/// weights are.
template <bool Centered, class T, class P>
struct NormForward {
  using A = rows::Accumulate<T>;
  const T* x;
  const T* residual;  ///< or nullptr
  const P* weight;
  const P* bias;  ///< or nullptr
  T* y;
  T* sum;   ///< with a residual
  A* mean;  ///< if centered
  A* rstd;
  std::int64_t columns;
  A eps;

  [[nodiscard]] std::int64_t row_elements() const { return 2 * columns; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t n = columns;
    const std::int64_t begin = row * n;
    const T* input = x + begin;
    A total = 0;
    if (residual != nullptr) {
      T* const s = sum + begin;
      // Statistics are those of the sum that backward will see.
      total = team.map_sum(
          n, s, [](A a, A b) { return A(rows::load_as<A>(rows::store_as<T>(a + b))); },
          rows::in(input), rows::in(residual + begin));
      input = s;
    } else if constexpr (Centered) {
      total = team.sum(
          n, [](A v) { return v; }, rows::in(input));
    }
    const A size = static_cast<A>(n);
    const A center = Centered ? total / size : A(0);
    const A square = team.sum(
        n, [=](A v) { return (v - center) * (v - center); }, rows::in(input));
    const A r = rows::rsqrt(square / size + eps);
    if (bias != nullptr) {
      team.map(
          n, y + begin, [=](A v, A w, A b) { return (v - center) * r * w + b; }, rows::in(input),
          rows::in(weight), rows::in(bias));
    } else {
      team.map(
          n, y + begin, [=](A v, A w) { return (v - center) * r * w; }, rows::in(input),
          rows::in(weight));
    }
    A* const mean_slot = Centered ? mean + row : nullptr;
    A* const rstd_slot = rstd + row;
    team.once([=] {
      if constexpr (Centered) *mean_slot = center;
      *rstd_slot = r;
    });
  }
};

/// Gradient of the normalised input, written to (or added to what is at) dx and dresidual.
template <bool Centered, class T, class P>
struct NormBackward {
  using A = rows::Accumulate<T>;
  const T* input;
  const P* weight;
  const A* mean;  ///< if centered
  const A* rstd;
  const T* dy;
  const T* dsum;  ///< gradient of the output `sum`, or nullptr
  T* dx;          ///< or nullptr
  T* dresidual;   ///< or nullptr
  std::int64_t columns;
  bool add_x, add_residual;

  [[nodiscard]] std::int64_t row_elements() const { return 3 * columns; }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const std::int64_t n = columns;
    const std::int64_t begin = row * n;
    const A m = Centered ? mean[row] : A(0);
    const A r = rstd[row];
    const T* const in = input + begin;
    const T* const d = dy + begin;
    const A size = static_cast<A>(n);
    A level = 0;  // mean of the gradient of what is scaled, and its component along the input
    A along = 0;
    if constexpr (Centered) {
      const auto sums = team.sum2(
          n,
          [=](A v, A w, A g) {
            return rows::Pair<A>{g * w, g * w * ((v - m) * r)};
          },
          rows::in(in), rows::in(weight), rows::in(d));
      level = sums.first / size;
      along = sums.second / size;
    } else {
      along = team.sum(
                  n, [=](A v, A w, A g) { return g * w * (v * r); }, rows::in(in), rows::in(weight),
                  rows::in(d)) /
              size;
    }
    const auto slope = [=](A v, A w, A g) { return r * (g * w - level - (v - m) * r * along); };
    if (dsum != nullptr) {
      spread(
          team, begin, [=](A v, A w, A g, A s) { return slope(v, w, g) + s; }, rows::in(in),
          rows::in(weight), rows::in(d), rows::in(dsum + begin));
    } else {
      spread(team, begin, slope, rows::in(in), rows::in(weight), rows::in(d));
    }
  }

 private:
  /// Gives f(values...) to both gradients. The first one written may lie over an operand, so the
  /// second is made from it; gradients that are added to lie over none.
  template <class Team, class F, class... X>
  HEADROOM_HD void spread(Team& team, std::int64_t begin, const F& f, X... values) const {
    const bool residual_first = dx == nullptr || add_x;
    T* const targets[2] = {residual_first ? dresidual : dx, residual_first ? dx : dresidual};
    const bool add[2] = {residual_first ? add_residual : add_x,
                         residual_first ? add_x : add_residual};
    const bool copies = targets[0] != nullptr && !add[0];
    for (int k = 0; k < 2; ++k) {
      if (targets[k] == nullptr) continue;
      T* const to = targets[k] + begin;
      if (k == 1 && copies) {
        write_or_add(
            team, columns, to, add[1], [](A v) { return v; }, rows::in(targets[0] + begin));
      } else {
        write_or_add(team, columns, to, add[k], f, values...);
      }
    }
  }
};

/// Partial sums of the gradients of weight and bias.
template <bool Centered, class T>
struct NormParameterPartials {
  using A = rows::Accumulate<T>;
  rows::ColumnCut cut;
  const T* input;
  const T* dy;
  const A* mean;  ///< if centered
  const A* rstd;
  A* weight;  ///< (partials, columns), or nullptr
  A* bias;    ///< likewise

  [[nodiscard]] std::int64_t row_elements() const { return 2 * cut.share_elements(); }

  template <class Team>
  HEADROOM_HD void operator()(Team& team, std::int64_t row) const {
    const rows::ColumnCut::Share share = cut.share(row);
    const std::int64_t begin = share.first_row * cut.columns + share.first_column;
    const std::int64_t slot = share.partial * cut.columns + share.first_column;
    const auto x = rows::strided(input + begin, cut.columns);
    const auto g = rows::strided(dy + begin, cut.columns);
    const A* const m = Centered ? mean + share.first_row : nullptr;
    const A* const r = rstd + share.first_row;
    const auto scaled = [=](std::int64_t k, A v, A d) {
      if constexpr (Centered) {
        return d * ((v - m[k]) * r[k]);
      } else {
        return d * (v * r[k]);
      }
    };
    A* const weight_sums = weight == nullptr ? nullptr : weight + slot;
    A* const bias_sums = bias == nullptr ? nullptr : bias + slot;
    if (weight_sums != nullptr && bias_sums != nullptr) {
      team.sum_rows(
          share.rows, share.columns,
          [=](std::int64_t i, rows::Pair<A> sums) {
            weight_sums[i] = sums.first;
            bias_sums[i] = sums.second;
          },
          [=](std::int64_t k, A v, A d) {
            return rows::Pair<A>{scaled(k, v, d), d};
          },
          x, g);
    } else if (weight_sums != nullptr) {
      team.sum_rows(
          share.rows, share.columns, [=](std::int64_t i, A sum) { weight_sums[i] = sum; }, scaled,
          x, g);
    } else if (bias_sums != nullptr) {
      team.sum_rows(
          share.rows, share.columns, [=](std::int64_t i, A sum) { bias_sums[i] = sum; },
          [](std::int64_t /*k*/, A d) { return d; }, g);
    }
  }
};

/// The kernels of one norm.
template <bool Centered>
struct NormKernels {
  using KernelContext = runtime::KernelContext;

  static void forward(KernelContext& context) {
    dispatch(context, [&]<class T, class P>() { forward_typed<T, P>(context); });
  }
  static void backward(KernelContext& context) {
    dispatch(context, [&]<class T, class P>() { backward_typed<T, P>(context); });
  }

 private:
  static std::size_t position(int i) { return static_cast<std::size_t>(i); }

  template <class Body>
  static void dispatch(KernelContext& context, Body&& body) {
    const std::size_t weight = position(context.op<Norm>().inputs().weight);
    runtime::with_float_types(context.input_type(0).dtype, context.input_type(weight).dtype, body);
  }

  template <class T, class P>
  static void forward_typed(KernelContext& context) {
    using A = rows::Accumulate<T>;
    const Norm& op = context.op<Norm>();
    const Norm::Inputs in = op.inputs();
    const Norm::Outputs out = op.output_positions();
    const Shape& shape = context.input_type(0).shape;
    const Norm::Size size =
        Norm::size(context.input_type(0), context.input_type(position(in.weight)));
    const auto optional_read = [&]<class V>(int i, const V* none) {
      return i < 0 ? none : context.read<V>(position(i));
    };
    const T* residual = optional_read(in.residual, static_cast<const T*>(nullptr));
    const P* bias = optional_read(in.bias, static_cast<const P*>(nullptr));
    T* sum = in.residual < 0 ? nullptr : context.write<T>(position(out.sum), shape.numel());
    A* mean = Centered ? context.write<A>(position(out.mean), size.rows) : nullptr;
    runtime::backend(context).rows(
        NormForward<Centered, T, P>{.x = context.read<T>(0),
                                    .residual = residual,
                                    .weight = context.read<P>(position(in.weight)),
                                    .bias = bias,
                                    .y = context.write<T>(position(out.y), shape.numel()),
                                    .sum = sum,
                                    .mean = mean,
                                    .rstd = context.write<A>(position(out.rstd), size.rows),
                                    .columns = size.columns,
                                    .eps = static_cast<A>(op.options().eps)},
        size.rows);
  }

  template <class T, class P>
  static void backward_typed(KernelContext& context) {
    using A = rows::Accumulate<T>;
    const Norm& op = context.op<Norm>();
    const Norm::Inputs in = op.inputs();
    const Norm::Outputs out = op.output_positions();
    const Shape& shape = context.input_type(0).shape;
    const Norm::Size size =
        Norm::size(context.input_type(0), context.input_type(position(in.weight)));
    const std::size_t dsum = context.output_gradient(position(out.sum < 0 ? 0 : out.sum));
    const bool residual = op.options().residual;
    NormBackward<Centered, T, P> program{
        .input = context.read<T>(residual ? context.saved_output(position(out.sum)) : 0),
        .weight = context.read<P>(position(in.weight)),
        .mean = Centered ? context.read<A>(context.saved_output(position(out.mean))) : nullptr,
        .rstd = context.read<A>(context.saved_output(position(out.rstd))),
        .dy = context.read<T>(context.output_gradient(position(out.y))),
        .dsum = residual && context.has_read(dsum) ? context.read<T>(dsum) : nullptr,
        .dx = nullptr,
        .dresidual = nullptr,
        .columns = size.columns,
        .add_x = context.accumulates(0),
        .add_residual = residual && context.accumulates(position(in.residual))};
    // Before the input's gradient, which may lie over what this reads.
    parameter_gradients<T>(context, in, program);
    if (context.has_write(0)) program.dx = context.write<T>(0, shape.numel());
    if (residual && context.has_write(position(in.residual))) {
      program.dresidual = context.write<T>(position(in.residual), shape.numel());
    }
    if (program.dx == nullptr && program.dresidual == nullptr) return;
    runtime::backend(context).rows(program, size.rows);
  }

  template <class T, class Program>
  static void parameter_gradients(KernelContext& context,
                                  const Norm::Inputs& in,
                                  const Program& program) {
    using A = rows::Accumulate<T>;
    const Norm::Size size =
        Norm::size(context.input_type(0), context.input_type(position(in.weight)));
    const rows::ColumnCut cut{size.rows, size.columns};
    const bool has_weight = context.has_write(position(in.weight));
    const bool has_bias = in.bias >= 0 && context.has_write(position(in.bias));
    const std::int64_t one = cut.buffer_elements();
    if (!has_weight && !has_bias) return;
    A* const buffer = context.workspace<A>(has_weight && has_bias ? 2 * one : one);
    A* const weight = has_weight ? buffer : nullptr;
    A* const bias = !has_bias ? nullptr : has_weight ? buffer + one : buffer;
    auto& backend = runtime::backend(context);
    backend.rows(NormParameterPartials<Centered, T>{cut, program.input, program.dy, program.mean,
                                                    program.rstd, weight, bias},
                 cut.shares());
    const auto total = [&](int parameter, const A* partials) {
      const std::size_t at = position(parameter);
      backend.rows(rows::ColumnTotals<A, A>{cut, partials, context.write<A>(at, cut.columns),
                                            context.accumulates(at)},
                   cut.tiles());
    };
    if (has_weight) total(in.weight, weight);
    if (has_bias) total(in.bias, bias);
  }
};

}  // namespace headroom::ops::HEADROOM_KERNELS
