#include "trainer/data/dataset.h"

#include <fmt/format.h>

namespace headroom::trainer {
namespace {

std::string with_size(Bytes size) {
  const auto bytes = static_cast<double>(size.value());
  constexpr double kMiB = 1 << 20;
  return bytes < kMiB ? fmt::format("{} bytes", size.value())
                      : fmt::format("{} bytes ({:.1f} MiB)", size.value(), bytes / kMiB);
}

}  // namespace

std::vector<DatasetFact> facts(const DatasetInfo& info) {
  std::vector<DatasetFact> result;
  const auto add = [&](std::string name, std::string value) {
    result.push_back({std::move(name), std::move(value)});
  };
  if (info.synthetic) {
    add("source", "synthetic: seeded random data, good for measuring only");
  } else {
    add("file", info.path.string());
  }
  add("format", info.format);
  add("stored as", std::string(name(info.stored)));
  if (info.kind == DataKind::kTokens) {
    add("tokens", fmt::format("{}", info.items));
  } else {
    add("rows", fmt::format("{}", info.items));
    add("input columns", fmt::format("{}", info.features));
    std::string targets = fmt::format("{}", info.target_columns);
    if (!info.column_names.empty() && info.target_columns > 0) {
      const auto first = info.column_names.begin() + info.features;
      targets += fmt::format(" ({})", fmt::join(first, info.column_names.end(), ", "));
    }
    add("target columns", targets);
    add("normalized", info.normalize == Normalize::kStandardize
                          ? "each input column to mean 0 and deviation 1 over all rows"
                          : "no");
  }
  if (!info.synthetic) add("on disk", with_size(info.on_disk));
  if (info.in_memory > Bytes(0)) add("in memory", with_size(info.in_memory));
  return result;
}

}  // namespace headroom::trainer
