#pragma once

#include "trainer/data/batch.h"
#include "trainer/data/dataset.h"
#include "trainer/data/sampler.h"

#include <cstdint>
#include <memory>

namespace headroom::trainer {

/// Fills batches from a data set. Which batch is asked for is all that decides what it holds.
/// Threads: any number may call the const functions.
class Loader {
 public:
  /// `options.batch` is taken from `spec`. Errors: as Dataset::check.
  Loader(std::unique_ptr<const Dataset> dataset, const BatchSpec& spec, Sampler::Options options);

  /// Writes the batch of a micro step. Allocates nothing.
  /// Errors: IoError as Dataset::read, or when the file changed since it was opened; ShapeError
  /// when a buffer's size is not the batch's.
  void load(std::int64_t step, std::int64_t micro_step, const BatchBuffers& to) const;

  /// Errors: as Dataset::check_values.
  void check_values() const { dataset_->check_values(spec_); }

  [[nodiscard]] const Dataset& dataset() const { return *dataset_; }
  [[nodiscard]] const BatchSpec& spec() const { return spec_; }
  [[nodiscard]] const Sampler& sampler() const { return sampler_; }

 private:
  std::unique_ptr<const Dataset> dataset_;
  BatchSpec spec_;
  Sampler sampler_;
};

/// What a plan's data are drawn by: random starts for tokens, shuffled epochs for rows.
[[nodiscard]] SampleOrder default_order(DataKind kind);

}  // namespace headroom::trainer
