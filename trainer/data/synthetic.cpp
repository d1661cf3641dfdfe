#include "trainer/data/synthetic.h"

#include "core/runtime/random/philox.h"
#include "trainer/data/row_dataset.h"
#include "trainer/data/token_dataset.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace headroom::trainer {
namespace {

using runtime::RandomStream;
using runtime::stream_id;

constexpr std::int64_t kMaxRows = 4096;
constexpr std::int64_t kMaxValues =
    (std::int64_t{64} << 20) / static_cast<std::int64_t>(sizeof(float));
constexpr std::int64_t kTokens = std::int64_t{1} << 20;
constexpr double kNoise = 0.1;

/// Streams of the seed, by what they are for.
struct Streams {
  RandomStream inputs, weights, noise, labels;
  explicit Streams(std::uint64_t seed)
      : inputs(seed, stream_id("data.synthetic.inputs")),
        weights(seed, stream_id("data.synthetic.weights")),
        noise(seed, stream_id("data.synthetic.noise")),
        labels(seed, stream_id("data.synthetic.labels")) {}
};

std::vector<float> make_rows(const BatchSpec& spec,
                             std::int64_t rows,
                             std::int64_t targets,
                             const Streams& random) {
  const std::int64_t columns = spec.features + targets;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  std::vector<float> weights(
      spec.targets == TargetKind::kValues ? static_cast<std::size_t>(spec.features * targets) : 0);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = random.weights.normal(i);
  const double scale = 1.0 / std::sqrt(static_cast<double>(spec.features));

  for (std::int64_t row = 0; row < rows; ++row) {
    float* x = values.data() + row * columns;
    float* y = x + spec.features;
    const auto first = static_cast<std::uint64_t>(row * spec.features);
    for (std::int64_t c = 0; c < spec.features; ++c) {
      x[c] = random.inputs.normal(first + static_cast<std::uint64_t>(c));
    }
    if (spec.targets == TargetKind::kClasses) {
      const std::uint64_t label = random.labels.below(static_cast<std::uint64_t>(row),
                                                      static_cast<std::uint64_t>(spec.classes));
      const std::uint64_t centre = label * static_cast<std::uint64_t>(spec.features);
      for (std::int64_t c = 0; c < spec.features; ++c) {
        x[c] += random.weights.normal(centre + static_cast<std::uint64_t>(c));
      }
      y[0] = static_cast<float>(label);
      continue;
    }
    for (std::int64_t t = 0; t < targets; ++t) {
      double sum = 0;
      const float* w = weights.data() + t * spec.features;
      for (std::int64_t c = 0; c < spec.features; ++c) sum += static_cast<double>(x[c]) * w[c];
      const double noise = random.noise.normal(static_cast<std::uint64_t>(row * targets + t));
      y[t] = static_cast<float>(sum * scale + kNoise * noise);
    }
  }
  return values;
}

std::vector<std::int32_t> make_tokens(const BatchSpec& spec, const Streams& random) {
  const std::int64_t count = std::max(kTokens, 4 * (spec.sequence_length + 1));
  const std::int64_t vocabulary = std::max<std::int64_t>(spec.classes, 1);
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i % 2 == 1) {
      tokens[i] = static_cast<std::int32_t>((5 * std::int64_t{tokens[i - 1]} + 1) % vocabulary);
      continue;
    }
    const double u = static_cast<double>(random.inputs.uniform(i));
    tokens[i] = static_cast<std::int32_t>(u * u * static_cast<double>(vocabulary));
  }
  return tokens;
}

}  // namespace

std::unique_ptr<Dataset> make_synthetic_dataset(const BatchSpec& spec,
                                                Normalize normalize,
                                                std::uint64_t seed) {
  const Streams random(seed);
  DatasetInfo info;
  info.kind = spec.kind;
  info.format = "synthetic";
  info.synthetic = true;
  if (spec.kind == DataKind::kTokens) {
    return std::make_unique<TokenDataset>(std::move(info), make_tokens(spec, random));
  }
  info.features = spec.features;
  info.target_columns = spec.targets == TargetKind::kValues ? spec.target_columns : 1;
  info.normalize = normalize;
  const std::int64_t columns = info.features + info.target_columns;
  info.items =
      std::clamp<std::int64_t>(kMaxValues / std::max<std::int64_t>(columns, 1), 1, kMaxRows);
  const std::int64_t targets = info.target_columns;
  const std::int64_t rows = info.items;
  return std::make_unique<RowDataset>(std::move(info), make_rows(spec, rows, targets, random));
}

}  // namespace headroom::trainer
