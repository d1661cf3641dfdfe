#include "trainer/data/loader.h"

#include "core/describe/error.h"

#include <fmt/format.h>

#include <utility>

namespace headroom::trainer {
namespace {

const Dataset& checked(const Dataset& dataset, const BatchSpec& spec) {
  dataset.check(spec);
  return dataset;
}

Sampler::Options with_batch(Sampler::Options options, const BatchSpec& spec) {
  options.batch = spec.batch;
  return options;
}

void check_size(std::span<const std::byte> buffer, Bytes expected, std::string_view what) {
  if (static_cast<std::int64_t>(buffer.size()) == expected.value()) return;
  throw ShapeError(fmt::format("[batch] {}: got a buffer of {} bytes, expected {}", what,
                               buffer.size(), expected.value()));
}

}  // namespace

Loader::Loader(std::unique_ptr<const Dataset> dataset,
               const BatchSpec& spec,
               Sampler::Options options,
               const DataPart& part)
    : dataset_(std::move(dataset)),
      spec_(spec),
      range_(range_of(checked(*dataset_, spec), spec, part)),
      sampler_(with_batch(options, spec), range_.places, dataset_->stride(spec)) {}

// A sample covers `items - places + 1` items; none reaches from one part into the other.
Loader::Range Loader::range_of(const Dataset& dataset,
                               const BatchSpec& spec,
                               const DataPart& part) {
  const std::int64_t items = dataset.info().items;
  const std::int64_t places = dataset.places(spec);
  const std::int64_t overlap = items - places;
  const auto held = static_cast<std::int64_t>(part.held_out * static_cast<double>(items));
  const Range range = part.evaluation ? Range{items - held, held - overlap, held}
                                      : Range{0, places - held, items - held};
  if (range.places > 0) return range;
  throw ConfigError({{{},
                      "data.held_out",
                      fmt::format("{} of {} items leaves too few for {}", part.held_out, items,
                                  part.evaluation ? "evaluation" : "training"),
                      "change the share, or use more data"}});
}

void Loader::load(std::int64_t step, std::int64_t micro_step, const BatchBuffers& to) const {
  check_size(to.inputs, spec_.input_bytes(), "inputs");
  check_size(to.targets, spec_.target_bytes(), "targets");
  dataset_->check_unchanged();
  for (std::int64_t sample = 0; sample < spec_.batch; ++sample) {
    dataset_->read(range_.first + sampler_.place(step, micro_step, sample), sample, spec_, to);
  }
}

SampleOrder default_order(DataKind kind) {
  return kind == DataKind::kTokens ? SampleOrder::kRandom : SampleOrder::kShuffle;
}

}  // namespace headroom::trainer
