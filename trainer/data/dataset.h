#pragma once

#include "core/describe/plan.h"
#include "core/describe/units.h"
#include "trainer/data/batch.h"
#include "trainer/data/element_type.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::trainer {

/// What is known about a data set once it is open.
struct DatasetInfo {
  DataKind kind = DataKind::kRows;
  std::string format;          ///< `npy`, `csv`, `tokens of llm.c (GPT-2)`, `synthetic`, ...
  std::filesystem::path path;  ///< empty when synthetic
  ElementType stored = ElementType::kF32;
  std::int64_t items = 0;                 ///< tokens or rows
  std::int64_t features = 0;              ///< input columns of rows
  std::int64_t target_columns = 0;        ///< of rows; the last columns
  std::vector<std::string> column_names;  ///< of rows, inputs first; may be empty
  Bytes on_disk;
  Bytes in_memory;  ///< held by this process besides the mapped file, for the whole run
  bool synthetic = false;
  Normalize normalize = Normalize::kNone;
};

/// One line about a data set, for people and for JSON.
struct DatasetFact {
  std::string name;
  std::string value;
};

/// Name, size and contents in the order to show them.
[[nodiscard]] std::vector<DatasetFact> facts(const DatasetInfo& info);

/// A data set that is open for reading at any place.
/// Threads: any number may call the const functions.
class Dataset {
 public:
  Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  virtual ~Dataset() = default;

  [[nodiscard]] virtual const DatasetInfo& info() const = 0;

  /// What `headroom data info` prints: facts() and what takes reading all of the data, such as the
  /// largest token. Errors: IoError on damaged data.
  [[nodiscard]] virtual std::vector<DatasetFact> describe() const = 0;

  /// Errors: ConfigError with every reason why a model that takes `spec` cannot train on this.
  virtual void check(const BatchSpec& spec) const = 0;

  /// Reads the targets of all samples, and where that is quick their inputs too, so that a value
  /// that read() would refuse is found before a run begins. Requires that check(spec) has passed.
  /// Errors: ConfigError when class numbers or tokens are not below `spec.classes`; IoError naming
  /// the position of a value that is not finite.
  virtual void check_values(const BatchSpec& spec) const = 0;

  /// How many places a sample may begin at, and how far apart those are that share no value.
  [[nodiscard]] virtual std::int64_t places(const BatchSpec& spec) const = 0;
  [[nodiscard]] virtual std::int64_t stride(const BatchSpec& spec) const = 0;

  /// Writes the sample that begins at `place` as number `sample` of the batch, in f32 or i32.
  /// Requires that check(spec) has passed and that the buffers have the sizes of `spec`.
  /// Errors: IoError naming the position of a value that is not finite, of a class number that is
  /// no whole number below `spec.classes`, or of such a token.
  virtual void read(std::int64_t place,
                    std::int64_t sample,
                    const BatchSpec& spec,
                    const BatchBuffers& to) const = 0;

  /// Errors: IoError when the file was changed or cut since it was opened.
  virtual void check_unchanged() const = 0;
};

}  // namespace headroom::trainer
