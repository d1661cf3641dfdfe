#include "trainer/data/open_dataset.h"

#include "core/describe/error.h"
#include "core/describe/format.h"
#include "trainer/data/csv.h"
#include "trainer/data/mapped_file.h"
#include "trainer/data/npy.h"
#include "trainer/data/raw_binary.h"
#include "trainer/data/row_dataset.h"
#include "trainer/data/synthetic.h"
#include "trainer/data/token_dataset.h"
#include "trainer/data/token_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace headroom::trainer {
namespace {

[[noreturn]] void refuse(std::string key, std::string message, std::string hint) {
  throw ConfigError({Problem{{}, std::move(key), std::move(message), std::move(hint)}});
}

class Opener {
 public:
  Opener(const DataPlan& plan, const BatchSpec* expected)
      : plan_(plan),
        expected_(expected),
        path_(plan.path),
        file_(std::make_unique<const MappedFile>(path_)) {
    info_.path = path_;
    info_.on_disk = Bytes(static_cast<std::int64_t>(file_->bytes().size()));
    info_.normalize = plan.normalize;
  }

  std::unique_ptr<Dataset> open() {
    switch (decide_format()) {
      case DataFormat::kNpy:
        return open_npy();
      case DataFormat::kCsv:
        return open_csv();
      case DataFormat::kTokens:
        return open_tokens();
      case DataFormat::kBin:
      case DataFormat::kAuto:
        break;
    }
    return open_raw();
  }

 private:
  [[nodiscard]] std::span<const std::byte> bytes() const { return file_->bytes(); }
  [[nodiscard]] bool wants(DataKind kind) const {
    return expected_ != nullptr && expected_->kind == kind;
  }

  DataFormat decide_format() {
    const bool npy = is_npy(bytes());
    const bool llmc = read_llmc_layout(bytes(), path_).has_value();
    if (plan_.format != DataFormat::kAuto) {
      // Read otherwise, the header would silently become the first samples.
      if (npy && plan_.format != DataFormat::kNpy) disagree("a NumPy header", DataFormat::kNpy);
      if (llmc && plan_.format != DataFormat::kTokens) {
        disagree("the header of an llm.c token file", DataFormat::kTokens);
      }
      return plan_.format;
    }
    if (npy) return DataFormat::kNpy;
    if (llmc) return DataFormat::kTokens;
    const std::string ending = path_.extension().string();
    if (ending == ".npy") return DataFormat::kNpy;  // to be refused as damaged
    if (ending == ".csv" || ending == ".tsv") return DataFormat::kCsv;
    if (plan_.dtype || type_from_ending(path_)) return DataFormat::kBin;
    if (ending == ".bin" && wants(DataKind::kTokens)) return DataFormat::kTokens;
    if (looks_like_csv(bytes())) return DataFormat::kCsv;
    if (bytes().empty()) throw IoError(fmt::format("{} is empty: it holds no data", plan_.path));
    refuse(
        "data.format", fmt::format("{} does not say what it holds", plan_.path),
        "set `format: tokens` for 16-bit tokens as nanoGPT writes them, `format: csv` for a table "
        "of numbers, or `format: bin` and `dtype: u8, u16, i32, f32` for raw values");
  }

  [[noreturn]] void disagree(std::string_view header, DataFormat right) const {
    refuse("data.format",
           fmt::format("{} begins with {}, but the format is `{}`", plan_.path, header,
                       headroom::name(plan_.format)),
           fmt::format("set it to `{}` or `auto`", headroom::name(right)));
  }

  /// `data.dtype` is for raw files; elsewhere it may at most repeat what the file says.
  void check_dtype() const {
    if (!plan_.dtype || element_type(*plan_.dtype) == info_.stored) return;
    refuse("data.dtype",
           fmt::format("{} holds {} values ({}), not {}", plan_.path, name(info_.stored),
                       info_.format, headroom::name(*plan_.dtype)),
           "leave it out: only raw files need it");
  }

  [[nodiscard]] std::int64_t targets_of(std::int64_t columns) const {
    std::int64_t targets = columns > 1 ? 1 : 0;
    if (expected_ != nullptr && expected_->kind == DataKind::kRows &&
        expected_->targets == TargetKind::kValues) {
      targets = expected_->target_columns;
    }
    if (plan_.target_columns > 0) targets = plan_.target_columns;
    if (targets >= columns && targets > 0) {
      refuse("data.target_columns",
             fmt::format("{} has {}, which leaves no input beside {} of targets", plan_.path,
                         format_counted(columns, "column"), targets),
             "lower it or use a file with more columns");
    }
    return targets;
  }

  std::unique_ptr<Dataset> tokens(std::size_t offset, std::int64_t count) {
    if (count == 0) throw IoError(fmt::format("{} holds no tokens", plan_.path));
    info_.kind = DataKind::kTokens;
    info_.items = count;
    check_dtype();
    if (info_.normalize != Normalize::kNone) {
      refuse("data.normalize", fmt::format("{} holds tokens, which cannot be scaled", plan_.path),
             "set it to `none`");
    }
    return std::make_unique<TokenDataset>(std::move(info_), std::move(file_), offset);
  }

  void set_table(std::int64_t rows, std::int64_t columns) {
    if (rows == 0 || columns == 0) throw IoError(fmt::format("{} holds no rows", plan_.path));
    info_.kind = DataKind::kRows;
    info_.items = rows;
    info_.target_columns = targets_of(columns);
    info_.features = columns - info_.target_columns;
    check_dtype();
  }

  std::unique_ptr<Dataset> open_npy() {
    const NpyLayout layout = read_npy_layout(bytes(), path_);
    info_.format = "npy";
    info_.stored = layout.type;
    const std::size_t rank = layout.shape.size();
    if (rank == 0) throw IoError(fmt::format("{} holds a single number", plan_.path));
    if (rank == 1 && is_integer(layout.type) && !wants(DataKind::kRows)) {
      return tokens(layout.data_offset, layout.shape[0]);
    }
    std::int64_t columns = 1;
    for (std::size_t i = 1; i < rank; ++i) {
      columns = checked_multiply(columns, layout.shape[i], "columns of " + plan_.path);
    }
    set_table(layout.shape[0], columns);
    return std::make_unique<RowDataset>(std::move(info_), std::move(file_), layout.data_offset);
  }

  std::unique_ptr<Dataset> open_csv() {
    CsvTable table = read_csv(bytes(), path_);
    info_.format = "csv";
    info_.stored = ElementType::kF32;
    set_table(table.rows, table.columns);
    info_.column_names = std::move(table.names);
    return std::make_unique<RowDataset>(std::move(info_), std::move(table.values));
  }

  std::unique_ptr<Dataset> open_tokens() {
    const std::optional<TokenLayout> headed = read_llmc_layout(bytes(), path_);
    const TokenLayout layout = headed ? *headed : read_headerless_tokens(bytes(), path_);
    info_.format = fmt::format("tokens of {}", layout.writer);
    info_.stored = layout.type;
    return tokens(layout.data_offset, layout.count);
  }

  std::unique_ptr<Dataset> open_raw() {
    std::optional<ElementType> type = type_from_ending(path_);
    if (plan_.dtype) {
      type = element_type(*plan_.dtype);
      if (!type) {
        refuse("data.dtype",
               fmt::format("raw files of {} are not read", headroom::name(*plan_.dtype)),
               "use u8, u16, i32, f16, f32 or f64");
      }
    }
    if (!type) {
      refuse("data.dtype", fmt::format("{} does not say how its values are stored", plan_.path),
             "set it to u8, u16, i32 or f32, or give the file such an ending");
    }
    info_.format = "raw values";
    info_.stored = *type;
    const bool rows = wants(DataKind::kRows) || (expected_ == nullptr && !is_integer(*type));
    if (!rows) {
      if (!is_integer(*type)) {
        refuse("data.dtype", fmt::format("tokens are whole numbers, not {}", name(*type)),
               "set it to u8, u16 or i32");
      }
      return tokens(0, count_raw_values(bytes(), *type, 0, path_));
    }
    std::int64_t columns = 1;
    if (expected_ != nullptr) {
      const std::int64_t needed =
          expected_->targets == TargetKind::kValues ? expected_->target_columns : 1;
      columns = expected_->features + std::max(plan_.target_columns, needed);
    }
    const std::int64_t values = count_raw_values(bytes(), *type, columns, path_);
    set_table(values / columns, columns);
    return std::make_unique<RowDataset>(std::move(info_), std::move(file_), 0);
  }

  const DataPlan& plan_;
  const BatchSpec* expected_;
  std::filesystem::path path_;
  std::unique_ptr<const MappedFile> file_;
  DatasetInfo info_;
};

}  // namespace

std::unique_ptr<Dataset> open_dataset(const DataPlan& plan,
                                      const BatchSpec* expected,
                                      std::uint64_t seed) {
  if (plan.synthetic) {
    if (expected == nullptr) {
      refuse("data.synthetic", "synthetic data has no shape of its own",
             "name a plan with a model");
    }
    return make_synthetic_dataset(*expected, plan.normalize, seed);
  }
  if (plan.path.empty()) {
    refuse("data.path", "the plan names no data",
           "set data.path to a file, or data.synthetic to true for random data to measure with");
  }
  std::unique_ptr<Dataset> dataset = Opener(plan, expected).open();
  if (expected != nullptr) dataset->check(*expected);
  return dataset;
}

}  // namespace headroom::trainer
