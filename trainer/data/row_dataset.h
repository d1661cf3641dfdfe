#pragma once

#include "trainer/data/dataset.h"
#include "trainer/data/mapped_file.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace headroom::trainer {

/// Independent samples: a row-major table in a mapped file or in memory, whose first columns are
/// the inputs and whose last are the targets.
class RowDataset final : public Dataset {
 public:
  /// `info` says how, how many rows and which columns are stored from `offset` bytes into the file
  /// on. With Normalize::kStandardize every row is read once, for each input column's mean and
  /// standard deviation over the whole table (of the population: divided by the number of rows).
  /// Errors: IoError on a value that is not finite.
  RowDataset(DatasetInfo info, std::unique_ptr<const MappedFile> file, std::size_t offset);
  RowDataset(DatasetInfo info, std::vector<float> values);

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] std::vector<DatasetFact> describe() const override;
  void check(const BatchSpec& spec) const override;
  void check_values(const BatchSpec& spec) const override;
  [[nodiscard]] std::int64_t places(const BatchSpec& spec) const override;
  [[nodiscard]] std::int64_t stride(const BatchSpec& spec) const override;
  void read(std::int64_t place,
            std::int64_t sample,
            const BatchSpec& spec,
            const BatchBuffers& to) const override;
  void check_unchanged() const override;

 private:
  [[nodiscard]] std::int64_t columns() const { return info_.features + info_.target_columns; }
  [[nodiscard]] const std::byte* cell(std::int64_t row, std::int64_t column) const;
  [[nodiscard]] double value(std::int64_t row, std::int64_t column) const;
  [[nodiscard]] std::string position(std::int64_t row, std::int64_t column) const;
  [[nodiscard]] std::string not_a_class(std::int64_t row, const BatchSpec& spec) const;
  [[noreturn]] void reject(std::int64_t row, std::int64_t column) const;
  void standardize();
  void check_classes(const BatchSpec& spec) const;
  void check_finite(std::int64_t first_column, std::int64_t end_column) const;

  DatasetInfo info_;
  std::unique_ptr<const MappedFile> file_;
  std::vector<float> in_memory_;
  const std::byte* table_ = nullptr;
  std::vector<double> mean_, factor_;  ///< of the inputs; empty unless standardized
};

}  // namespace headroom::trainer
