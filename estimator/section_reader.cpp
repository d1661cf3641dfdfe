#include "estimator/section_reader.h"

#include "core/describe/spelling.h"

namespace headroom::estimator {

bool addressable(double number, Dimension dimension) {
  constexpr double kLargest = 9.2e18;  // 2^63 less a little
  return dimension != Dimension::kBytes || number < kLargest;
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
  // Only an overhead can be nothing.
  if (*value < 0 || (*value == 0 && dimension != Dimension::kSeconds)) {
    reader.problem(node.where, "value", "must be greater than 0");
    return std::nullopt;
  }
  if (low.value_or(*value) > *value || high.value_or(*value) < *value || low.value_or(*value) < 0) {
    reader.problem(node.where, "", "the range must hold the value: 0 <= low <= value <= high");
    return std::nullopt;
  }
  if (!addressable(high.value_or(*value), dimension)) {
    reader.problem(node.where, "", "is larger than any machine can address");
    return std::nullopt;
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
