#include "core/ops/rope.h"

#include "core/describe/error.h"
#include "core/ops/partials.h"

#include <cmath>
#include <numbers>

namespace headroom::ops {
namespace {

[[noreturn]] void refuse(std::string_view what, const std::string& got, const std::string& wanted) {
  throw ShapeError(shape_message(Rope::kName, what, got, wanted));
}

constexpr double kFlopsPerElement = 3;

double llama3_frequency(const Rope::Options& o, double frequency) {
  const auto original = static_cast<double>(o.original_max_position);
  const double wavelength = 2 * std::numbers::pi / frequency;
  if (wavelength > original / o.low_freq_factor) return frequency / o.factor;
  if (wavelength < original / o.high_freq_factor) return frequency;
  const double kept =
      (original / wavelength - o.low_freq_factor) / (o.high_freq_factor - o.low_freq_factor);
  return (1 - kept) * frequency / o.factor + kept * frequency;
}

}  // namespace

std::array<double, Rope::kMaxPairs> Rope::frequencies() const {
  std::array<double, kMaxPairs> all{};
  for (std::int64_t i = 0; i < options_.head_dim / 2; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(options_.head_dim);
    const double plain = std::pow(options_.theta, exponent);
    double& frequency = all[static_cast<std::size_t>(i)];
    switch (options_.scaling) {
      case RopeScaling::kNone:
        frequency = plain;
        break;
      case RopeScaling::kLinear:
        frequency = plain / options_.factor;
        break;
      case RopeScaling::kLlama3:
        frequency = llama3_frequency(options_, plain);
        break;
    }
  }
  return all;
}

void Rope::check_options() const {
  const Options& o = options_;
  if (o.head_dim < 2 || o.head_dim % 2 != 0 || o.head_dim > 2 * kMaxPairs) {
    refuse("head_dim", std::to_string(o.head_dim),
           "an even number up to " + std::to_string(2 * kMaxPairs));
  }
  if (o.heads < 1) refuse("heads", std::to_string(o.heads), "at least 1");
  if (!(o.theta > 0)) refuse("theta", std::to_string(o.theta), "a positive number");
  if (o.first_position < 0) {
    refuse("first position", std::to_string(o.first_position), "0 or more");
  }
  if (o.scaling != RopeScaling::kNone && !(o.factor > 0)) {
    refuse("factor", std::to_string(o.factor), "a positive number");
  }
  if (o.scaling == RopeScaling::kLlama3 &&
      (!(o.low_freq_factor > 0) || !(o.high_freq_factor > o.low_freq_factor) ||
       o.original_max_position < 1)) {
    refuse("llama3 scaling",
           "low_freq_factor " + std::to_string(o.low_freq_factor) + ", high_freq_factor " +
               std::to_string(o.high_freq_factor) + ", original_max_position " +
               std::to_string(o.original_max_position),
           "0 < low_freq_factor < high_freq_factor and a length of at least 1");
  }
}

OutputSpecs Rope::outputs(std::span<const TensorType> inputs) const {
  check_options();
  if (inputs.size() != 1) refuse("operands", std::to_string(inputs.size()), "one");
  const Shape& shape = inputs[0].shape;
  const std::int64_t columns = options_.heads * options_.head_dim;
  if (shape.rank() != 3 || shape.columns() < columns || shape.columns() % options_.head_dim != 0) {
    refuse("x", to_string(shape),
           "batch, time, " + std::to_string(columns) + " or more columns, a multiple of " +
               std::to_string(options_.head_dim));
  }
  return {{.type = inputs[0]}};
}

Work Rope::forward_work(std::span<const TensorType> inputs) const {
  const auto rows = static_cast<double>(inputs[0].shape.rows());
  Work work{.read = inputs[0].bytes(), .written = inputs[0].bytes(), .compute = inputs[0].dtype};
  work.other_flops =
      Flops(kFlopsPerElement * rows * static_cast<double>(options_.heads * options_.head_dim));
  return work;
}

SmallList<Work, 3> Rope::backward_work(std::span<const TensorType> inputs, GradientMask) const {
  return {forward_work(inputs)};
}

Bytes Rope::forward_workspace(std::span<const TensorType> inputs) const {
  return Bytes(checked_multiply(options_.head_dim * partial_element_size(inputs[0].dtype),
                                inputs[0].shape[1].size, "rope workspace"));
}

Bytes Rope::backward_workspace(std::span<const TensorType> inputs, GradientMask) const {
  return forward_workspace(inputs);
}

InPlaceRules Rope::forward_in_place() const { return {{.write = 0, .read = 0}}; }

// dx over dy.
InPlaceRules Rope::backward_in_place(std::size_t inputs, std::size_t outputs) const {
  return {{.write = 0, .read = static_cast<int>(inputs + outputs)}};
}

}  // namespace headroom::ops
