#include "estimator/node_reader.h"

#include "core/describe/spelling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace headroom::estimator {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024;
constexpr Unit kPlainUnits[] = {{"", 1}, {"%", 0.01}};
constexpr Unit kByteUnits[] = {{"", 1},
                               {"B", 1},
                               {"kB", 1e3},
                               {"MB", 1e6},
                               {"GB", 1e9},
                               {"TB", 1e12},
                               {"KiB", kKi},
                               {"MiB", kKi* kKi},
                               {"GiB", kKi* kKi* kKi},
                               {"TiB", kKi* kKi* kKi* kKi}};
constexpr Unit kBandwidthUnits[] = {{"", 1},       {"B/s", 1},    {"kB/s", 1e3},
                                    {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit kFlopUnits[] = {{"", 1},          {"FLOP/s", 1},     {"MFLOP/s", 1e6},
                               {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}};
constexpr Unit kSecondUnits[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kPlain:
    case Dimension::kShare:
      return kPlainUnits;
    case Dimension::kBytes:
      return kByteUnits;
    case Dimension::kBytesPerSecond:
      return kBandwidthUnits;
    case Dimension::kFlopsPerSecond:
      return kFlopUnits;
    case Dimension::kSeconds:
      return kSecondUnits;
  }
  return {};
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text, Dimension dimension) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (const Unit& unit : units_of(dimension)) {
    if (unit.name != text) continue;
    const double value = number * unit.factor;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

std::string_view unit_names(Dimension dimension) {
  switch (dimension) {
    case Dimension::kPlain:
    case Dimension::kShare:
      return "plain or %";
    case Dimension::kBytes:
      return "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB";
    case Dimension::kBytesPerSecond:
      return "B/s, kB/s, MB/s, GB/s, TB/s";
    case Dimension::kFlopsPerSecond:
      return "FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s";
    case Dimension::kSeconds:
      return "s, ms, us, ns";
  }
  return "";
}

MapReader::MapReader(const ConfigNode& node, std::string path, std::vector<Problem>& problems)
    : node_(&node), path_(std::move(path)), problems_(&problems) {
  if (node.kind != ConfigNode::Kind::kMap) {
    problems_->push_back({node.where, path_, "must be a map of keys and values", ""});
  }
}

std::string MapReader::path_of(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
}

void MapReader::problem(const SourceLocation& where,
                        std::string_view key,
                        std::string message,
                        std::string hint) {
  problems_->push_back({where, path_of(key), std::move(message), std::move(hint)});
}

const ConfigNode* MapReader::find(std::string_view key) {
  known_.emplace_back(key);
  const ConfigNode* value = node_->find(known_.back());
  return value != nullptr && value->kind == ConfigNode::Kind::kNull ? nullptr : value;
}

const ConfigNode* MapReader::require(std::string_view key) {
  const ConfigNode* value = find(key);
  if (value == nullptr && node_->kind == ConfigNode::Kind::kMap) {
    problem(node_->where, key, "is missing");
  }
  return value;
}

std::string MapReader::text(std::string_view key) {
  const ConfigNode* value = find(key);
  if (value == nullptr) return "";
  if (value->kind != ConfigNode::Kind::kScalar || value->scalar.empty()) {
    problem(value->where, key, "must be text");
    return "";
  }
  return value->scalar;
}

std::string MapReader::required_text(std::string_view key) {
  return require(key) == nullptr ? "" : text(key);
}

std::vector<std::string> MapReader::texts(std::string_view key) {
  std::vector<std::string> list;
  const ConfigNode* value = find(key);
  if (value == nullptr) return list;
  if (value->kind != ConfigNode::Kind::kList) {
    problem(value->where, key, "must be a list of texts");
    return list;
  }
  for (const ConfigNode& item : value->items) {
    if (item.kind != ConfigNode::Kind::kScalar || item.scalar.empty()) {
      problem(item.where, key, "holds something that is not text");
    } else {
      list.push_back(item.scalar);
    }
  }
  return list;
}

std::optional<double> MapReader::number(std::string_view key, Dimension dimension) {
  const ConfigNode* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == ConfigNode::Kind::kScalar) {
    if (const auto parsed = parse_quantity(value->scalar, dimension)) return parsed;
  }
  problem(value->where, key,
          value->kind == ConfigNode::Kind::kScalar ? "'" + value->scalar + "' is not a number"
                                                   : "must be a number",
          "units: " + std::string(unit_names(dimension)));
  return std::nullopt;
}

std::optional<double> MapReader::required_number(std::string_view key, Dimension dimension) {
  return require(key) == nullptr ? std::nullopt : number(key, dimension);
}

std::int64_t MapReader::required_count(std::string_view key) {
  const ConfigNode* value = require(key);
  if (value == nullptr) return 0;
  std::int64_t count = 0;
  const std::string& digits = value->scalar;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (value->kind != ConfigNode::Kind::kScalar || error != std::errc() ||
      end != digits.data() + digits.size() || count < 1) {
    problem(value->where, key, "must be a whole number of at least 1");
    return 0;
  }
  return count;
}

void MapReader::finish() {
  std::vector<std::string> seen;
  for (const ConfigNode::Entry& entry : node_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) == known_.end()) {
      const std::string guess = nearest_name(entry.key, known_);
      problem(entry.where, entry.key, "unknown key",
              guess.empty() ? "" : "did you mean '" + guess + "'?");
    } else if (std::find(seen.begin(), seen.end(), entry.key) != seen.end()) {
      problem(entry.where, entry.key, "is given twice");
    }
    seen.push_back(entry.key);
  }
}

}  // namespace headroom::estimator
