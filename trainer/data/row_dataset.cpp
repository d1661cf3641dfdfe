#include "trainer/data/row_dataset.h"

#include "core/describe/error.h"
#include "core/describe/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace headroom::trainer {
namespace {

bool is_whole(double value) { return std::isfinite(value) && value == std::floor(value); }

/// f32 holds it, so that neither a NaN nor an overflow reaches the model.
bool is_usable(double value) { return std::isfinite(static_cast<float>(value)); }

bool is_class(double label, const BatchSpec& spec) {
  return is_whole(label) && label >= 0 && label < static_cast<double>(spec.classes);
}

std::string where(const DatasetInfo& info) {
  return info.synthetic ? std::string("synthetic data") : info.path.string();
}

}  // namespace

RowDataset::RowDataset(DatasetInfo info, std::unique_ptr<const MappedFile> file, std::size_t offset)
    : info_(std::move(info)), file_(std::move(file)), table_(file_->bytes().data() + offset) {
  if (info_.normalize == Normalize::kStandardize) standardize();
}

RowDataset::RowDataset(DatasetInfo info, std::vector<float> values)
    : info_(std::move(info)), in_memory_(std::move(values)) {
  table_ = std::as_bytes(std::span(in_memory_)).data();
  info_.stored = ElementType::kF32;
  info_.in_memory = Bytes(static_cast<std::int64_t>(in_memory_.capacity() * sizeof(float)));
  if (info_.normalize == Normalize::kStandardize) standardize();
}

const std::byte* RowDataset::cell(std::int64_t row, std::int64_t column) const {
  return table_ + (row * columns() + column) * static_cast<std::int64_t>(size_of(info_.stored));
}

double RowDataset::value(std::int64_t row, std::int64_t column) const {
  return visit_type(info_.stored, [&](auto tag) {
    return as_double(load<typename decltype(tag)::type>(cell(row, column)));
  });
}

std::string RowDataset::position(std::int64_t row, std::int64_t column) const {
  const std::string column_name =
      info_.column_names.empty()
          ? fmt::format("column {}", column + 1)
          : fmt::format("column {} ({})", column + 1,
                        info_.column_names[static_cast<std::size_t>(column)]);
  return fmt::format("row {}, {} of {}", row + 1, column_name, where(info_));
}

void RowDataset::reject(std::int64_t row, std::int64_t column) const {
  throw IoError(fmt::format("{} holds {}, which is no finite f32 value", position(row, column),
                            format_value(value(row, column), 6)));
}

std::string RowDataset::not_a_class(std::int64_t row, const BatchSpec& spec) const {
  return fmt::format("{} holds {}, which is no class number from 0 to {}",
                     position(row, info_.features), format_value(value(row, info_.features), 17),
                     spec.classes - 1);
}

void RowDataset::standardize() {
  const auto features = static_cast<std::size_t>(info_.features);
  mean_.assign(features, 0.0);
  factor_.assign(features, 0.0);
  const auto for_each_row = [&](auto&& visit) {
    visit_type(info_.stored, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::int64_t row = 0; row < info_.items; ++row) {
        const std::byte* at = cell(row, 0);
        for (std::size_t c = 0; c < features; ++c, at += sizeof(T)) {
          visit(row, c, as_double(load<T>(at)));
        }
      }
    });
  };
  std::vector<bool> varies(features, false);
  std::vector<double> first(features, 0.0);
  for_each_row([&](std::int64_t row, std::size_t c, double x) {
    if (!is_usable(x)) reject(row, static_cast<std::int64_t>(c));
    if (row == 0) first[c] = x;
    varies[c] = varies[c] || x != first[c];
    mean_[c] += x;
  });
  const auto rows = static_cast<double>(info_.items);
  for (double& mean : mean_) mean /= rows;
  for_each_row([&](std::int64_t, std::size_t c, double x) {
    factor_[c] += (x - mean_[c]) * (x - mean_[c]);
  });
  for (std::size_t c = 0; c < features; ++c) {
    // A constant column becomes exactly 0, although its mean may be a rounding error away from it.
    factor_[c] = varies[c] ? 1.0 / std::sqrt(factor_[c] / rows) : 0.0;
  }
  info_.in_memory += Bytes(static_cast<std::int64_t>(2 * features * sizeof(double)));
}

std::vector<DatasetFact> RowDataset::describe() const {
  std::vector<DatasetFact> result = facts(info_);
  for (std::int64_t column = 0; column < columns(); ++column) {
    double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
    bool whole = true;
    for (std::int64_t row = 0; row < info_.items; ++row) {
      const double x = value(row, column);
      if (!is_usable(x)) reject(row, column);
      smallest = std::min(smallest, x);
      largest = std::max(largest, x);
      whole = whole && is_whole(x);
    }
    if (column < info_.features) continue;
    result.push_back(
        {fmt::format("target {}", column - info_.features + 1),
         fmt::format("{:g} to {:g}{}", smallest, largest, whole ? ", whole numbers" : "")});
  }
  if (!factor_.empty()) {
    const auto constant = std::count(factor_.begin(), factor_.end(), 0.0);
    if (constant > 0) result.push_back({"constant inputs", fmt::format("{}", constant)});
  }
  return result;
}

void RowDataset::check(const BatchSpec& spec) const {
  std::vector<Problem> problems;
  const auto add = [&](std::string_view key, std::string message, std::string hint) {
    problems.push_back({{}, std::string(key), std::move(message), std::move(hint)});
  };
  if (spec.kind != DataKind::kRows) {
    add("data.path",
        fmt::format("{} holds rows of numbers, but the model reads tokens", where(info_)),
        "use a token file, or a model that reads rows");
    throw ConfigError(std::move(problems));
  }
  const std::int64_t targets = spec.targets == TargetKind::kValues ? spec.target_columns : 1;
  if (info_.target_columns != targets) {
    add("data.target_columns",
        fmt::format("the target is the last {} of {}, but the model's loss compares with {}",
                    format_counted(info_.target_columns, "column"), where(info_), targets),
        fmt::format("set data.target_columns to {}, or change the model's output", targets));
  }
  if (info_.features != spec.features) {
    add("data.path",
        fmt::format("{} has {}, but the model reads {}", where(info_),
                    format_counted(info_.features, "input column"), spec.features),
        fmt::format("set the model's input size to {}", info_.features));
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

void RowDataset::check_finite(std::int64_t first_column, std::int64_t end_column) const {
  visit_type(info_.stored, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t row = 0; row < info_.items; ++row) {
      const std::byte* at = cell(row, first_column);
      for (std::int64_t c = first_column; c < end_column; ++c, at += sizeof(T)) {
        if (!is_usable(as_double(load<T>(at)))) reject(row, c);
      }
    }
  });
}

void RowDataset::check_classes(const BatchSpec& spec) const {
  const std::int64_t column = info_.features;
  std::int64_t first_bad = -1, bad = 0;
  double largest = 0;
  bool whole = true;
  visit_type(info_.stored, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t row = 0; row < info_.items; ++row) {
      const double label = as_double(load<T>(cell(row, column)));
      largest = std::max(largest, label);
      if (is_class(label, spec)) continue;
      whole = whole && is_whole(label) && label >= 0;
      if (bad++ == 0) first_bad = row;
    }
  });
  if (bad == 0) return;
  std::string message = not_a_class(first_bad, spec);
  if (bad > 1) message += fmt::format("; so it is in {} of {} rows", bad, info_.items);
  // Past this no model has as many classes: the column is something else.
  constexpr double kMostClasses = 1e9;
  throw ConfigError({Problem{
      {},
      "data.path",
      std::move(message),
      whole && largest < kMostClasses
          ? fmt::format("set model.output_size to at least {:.0f}, or correct the file",
                        largest + 1)
          : "class numbers are whole numbers from 0 in the last column; correct the file, or use "
            "model.loss: mse for other targets"}});
}

void RowDataset::check_values(const BatchSpec& spec) const {
  if (spec.targets == TargetKind::kClasses) check_classes(spec);
  if (is_integer(info_.stored)) return;
  // Larger files than this are read from the disk while training, not twice.
  constexpr std::int64_t kQuickBytes = std::int64_t{1} << 30;
  const bool quick =
      info_.items * columns() * static_cast<std::int64_t>(size_of(info_.stored)) <= kQuickBytes;
  check_finite(quick ? 0 : info_.features, columns());
}

std::int64_t RowDataset::places(const BatchSpec&) const { return info_.items; }

std::int64_t RowDataset::stride(const BatchSpec&) const { return 1; }

void RowDataset::read(std::int64_t place,
                      std::int64_t sample,
                      const BatchSpec& spec,
                      const BatchBuffers& to) const {
  auto* inputs = reinterpret_cast<float*>(to.inputs.data()) + sample * info_.features;
  visit_type(info_.stored, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::byte* from = cell(place, 0);
    const auto features = static_cast<std::size_t>(info_.features);
    bool usable = true;
    for (std::size_t c = 0; c < features; ++c) {
      double x = as_double(load<T>(from + c * sizeof(T)));
      if (!factor_.empty()) x = (x - mean_[c]) * factor_[c];
      inputs[c] = static_cast<float>(x);
      usable = usable && std::isfinite(inputs[c]);
    }
    for (std::int64_t c = 0; !usable && c < info_.features; ++c) {
      if (!std::isfinite(inputs[c])) reject(place, c);
    }
  });
  if (spec.targets == TargetKind::kClasses) {
    const double label = value(place, info_.features);
    if (!is_class(label, spec)) throw IoError(not_a_class(place, spec));
    reinterpret_cast<std::int32_t*>(to.targets.data())[sample] = static_cast<std::int32_t>(label);
    return;
  }
  auto* targets = reinterpret_cast<float*>(to.targets.data()) + sample * info_.target_columns;
  for (std::int64_t c = 0; c < info_.target_columns; ++c) {
    targets[c] = static_cast<float>(value(place, info_.features + c));
    if (!std::isfinite(targets[c])) reject(place, info_.features + c);
  }
}

void RowDataset::check_unchanged() const {
  if (file_) file_->check_unchanged();
}

}  // namespace headroom::trainer
