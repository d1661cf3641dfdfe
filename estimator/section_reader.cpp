#include "estimator/section_reader.h"

#include "core/describe/spelling.h"

#include <array>
#include <cstdio>
#include <utility>

namespace headroom::estimator {

namespace {

/// Generous ends of what one device can have, today and for long: whatever lies outside is a slip,
/// such as a missing exponent or a wrong unit.
struct Possible {
  double least, most;
  const char* text;
};

Possible possible(Dimension dimension) {
  switch (dimension) {
    case Dimension::kBytes:
      return {1, 1e18, "1 to 1e18 B"};
    case Dimension::kBytesPerSecond:
      return {1e6, 1e16, "1 MB/s to 10,000 TB/s"};
    case Dimension::kFlopsPerSecond:
      return {1e6, 1e19, "1 MFLOP/s to 10,000 PFLOP/s"};
    case Dimension::kSeconds:
      return {0, 60, "0 to 60 s"};
    case Dimension::kShare:
      // Above 1 where a card boosts past the clock of its datasheet.
      return {0, 2, "a share of at most 2"};
    case Dimension::kPlain:
      break;
  }
  return {0, 1e9, "at most 1e9"};
}

}  // namespace

std::string impossible(double number, Dimension dimension) {
  const Possible range = possible(dimension);
  if (number >= range.least && number <= range.most) return "";
  std::array<char, 32> shown{};
  std::snprintf(shown.data(), shown.size(), "%.6g", number);
  return std::string(shown.data()) + " is " + (number < range.least ? "less" : "more") +
         " than any device has (expected " + range.text + ')';
}

SectionReader::SectionReader(const ConfigNode& file, std::vector<Problem>& problems)
    : problems_(problems) {
  const ConfigNode* sources = file.find("sources");
  if (sources == nullptr) return;
  if (sources->kind != ConfigNode::Kind::kMap) {
    problems_.push_back({sources->where, "sources", "must be a map from a word to a source", ""});
  }
  for (const ConfigNode::Entry& entry : sources->entries) {
    if (entry.value.kind != ConfigNode::Kind::kScalar || entry.value.scalar.empty()) {
      problems_.push_back({entry.where, "sources." + entry.key, "must be text", ""});
    }
    sources_[entry.key] = entry.value.scalar;
  }
}

std::optional<Figure<double>> SectionReader::read_number(const ConfigNode& node,
                                                         const std::string& path,
                                                         Dimension dimension) {
  if (node.kind == ConfigNode::Kind::kScalar) {
    problems_.push_back({node.where, path, "a bare number says nothing of where it is from",
                         "write {value: " + node.scalar + ", source: \"...\"}"});
    return std::nullopt;
  }
  MapReader reader = map(node, path);
  const auto value = reader.required_number("value", dimension);
  const auto low = reader.number("low", dimension);
  const auto high = reader.number("high", dimension);
  Figure<double> figure;
  figure.standing = standing(reader);
  figure.source = source(reader);
  reader.finish();
  if (!value) return std::nullopt;
  const auto place = [&](const char* key) { return reader.find(key)->where; };
  // Only an overhead can be nothing.
  if (*value < 0 || (*value == 0 && dimension != Dimension::kSeconds)) {
    reader.problem(place("value"), "value", "must be greater than 0");
    return std::nullopt;
  }
  if (low.value_or(*value) > *value || high.value_or(*value) < *value || low.value_or(*value) < 0) {
    reader.problem(node.where, "", "the range must hold the value: 0 <= low <= value <= high");
    return std::nullopt;
  }
  for (const auto& [key, number] : {std::pair("value", value), std::pair("high", high)}) {
    if (const std::string wrong = number ? impossible(*number, dimension) : ""; !wrong.empty()) {
      reader.problem(place(key), key, wrong);
      return std::nullopt;
    }
  }
  figure.value = *value;
  figure.low = low.value_or(*value);
  figure.high = high.value_or(*value);
  return figure;
}

Standing SectionReader::standing(MapReader& reader) {
  const std::string word = reader.text("status");
  if (word.empty()) return Standing::kPublished;
  const auto known = standing_from_name(word);
  if (!known) {
    reader.problem(reader.find("status")->where, "status", "'" + word + "' is not a status",
                   "published, measured, derived, assumed or unchecked");
  }
  return known.value_or(Standing::kUnchecked);
}

std::string SectionReader::source(MapReader& reader) {
  const std::string word = reader.required_text("source");
  if (word.empty() || word.find(' ') != std::string::npos) return word;
  if (const auto known = sources_.find(word); known != sources_.end()) return known->second;
  std::vector<std::string> names;
  for (const auto& [name, text] : sources_) names.push_back(name);
  const std::string guess = nearest_name(word, names);
  reader.problem(
      reader.find("source")->where, "source", "'" + word + "' is not named under sources",
      guess.empty() ? "name it there or write the source out" : "did you mean '" + guess + "'?");
  return "";
}

}  // namespace headroom::estimator
