#pragma once

#include "trainer/data/batch.h"
#include "trainer/data/dataset.h"
#include "trainer/data/sampler.h"

#include <cstdint>
#include <memory>

namespace headroom::trainer {

/// Which part of a data set is read: its end may be kept from training, to evaluate on.
struct DataPart {
  double held_out = 0;      ///< share of the items
  bool evaluation = false;  ///< the part held out, otherwise the rest
};

/// Fills batches from a data set. Which batch is asked for is all that decides what it holds.
/// Threads: any number may call the const functions.
class Loader {
 public:
  /// `options.batch` is taken from `spec`. Errors: as Dataset::check.
  Loader(std::unique_ptr<const Dataset> dataset,
         const BatchSpec& spec,
         Sampler::Options options,
         const DataPart& part = {});

  /// Writes the batch of a micro step. Allocates nothing.
  /// Errors: IoError as Dataset::read, or when the file changed since it was opened; ShapeError
  /// when a buffer's size is not the batch's.
  void load(std::int64_t step, std::int64_t micro_step, const BatchBuffers& to) const;

  /// Errors: as Dataset::check_values.
  void check_values() const { dataset_->check_values(spec_); }

  [[nodiscard]] const Dataset& dataset() const { return *dataset_; }
  [[nodiscard]] const BatchSpec& spec() const { return spec_; }
  [[nodiscard]] const Sampler& sampler() const { return sampler_; }
  /// Items of the part that is read.
  [[nodiscard]] std::int64_t items() const { return range_.items; }

 private:
  /// Places where a sample may begin.
  struct Range {
    std::int64_t first, places, items;
  };
  static Range range_of(const Dataset& dataset, const BatchSpec& spec, const DataPart& part);

  std::unique_ptr<const Dataset> dataset_;
  BatchSpec spec_;
  Range range_;
  Sampler sampler_;
};

/// What a plan's data are drawn by: random starts for tokens, shuffled epochs for rows.
[[nodiscard]] SampleOrder default_order(DataKind kind);

}  // namespace headroom::trainer
