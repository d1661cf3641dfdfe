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
               Sampler::Options options)
    : dataset_(std::move(dataset)),
      spec_(spec),
      sampler_(with_batch(options, spec),
               checked(*dataset_, spec).places(spec),
               dataset_->stride(spec)) {}

void Loader::load(std::int64_t step, std::int64_t micro_step, const BatchBuffers& to) const {
  check_size(to.inputs, spec_.input_bytes(), "inputs");
  check_size(to.targets, spec_.target_bytes(), "targets");
  dataset_->check_unchanged();
  for (std::int64_t sample = 0; sample < spec_.batch; ++sample) {
    dataset_->read(sampler_.place(step, micro_step, sample), sample, spec_, to);
  }
}

SampleOrder default_order(DataKind kind) {
  return kind == DataKind::kTokens ? SampleOrder::kRandom : SampleOrder::kShuffle;
}

}  // namespace headroom::trainer
