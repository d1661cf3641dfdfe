#include "estimator/hardware_catalog.h"

#include "core/describe/spelling.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace headroom::estimator {
namespace {

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_') continue;
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace

HardwareCatalog::HardwareCatalog(const std::vector<ConfigNode>& files) {
  std::vector<Problem> problems;
  for (const ConfigNode& file : files) {
    Hardware hardware;
    try {
      hardware = hardware_from_node(file);
    } catch (const ConfigError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
      continue;
    }
    std::vector<std::string> names = hardware.aliases;
    names.push_back(hardware.name);
    for (const std::string& name : names) {
      const std::string key = folded(name);
      const auto taken =
          std::find_if(keys_.begin(), keys_.end(), [&](const Key& k) { return k.folded == key; });
      if (taken == keys_.end()) {
        keys_.push_back({key, all_.size()});
      } else if (taken->index != all_.size()) {
        problems.push_back({file.where, "aliases",
                            "'" + name + "' is already a name of " + all_[taken->index].name,
                            "take it out of one of the two"});
      }
    }
    all_.push_back(std::move(hardware));
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

const Hardware* HardwareCatalog::find(std::string_view name) const {
  const std::string key = folded(name);
  for (const Key& candidate : keys_) {
    if (candidate.folded == key) return &all_[candidate.index];
  }
  return nullptr;
}

std::vector<std::string> HardwareCatalog::suggestions(std::string_view name) const {
  const std::string key = folded(name);
  std::vector<std::string> found;
  const auto add = [&](std::size_t index) {
    const std::string& candidate = all_[index].name;
    if (found.size() < 3 && std::find(found.begin(), found.end(), candidate) == found.end()) {
      found.push_back(candidate);
    }
  };
  std::vector<std::string> pool;
  std::transform(keys_.begin(), keys_.end(), std::back_inserter(pool),
                 [](const Key& k) { return k.folded; });
  const std::string best = nearest_name(key, pool);
  for (const Key& candidate : keys_) {
    if (!best.empty() && candidate.folded == best) add(candidate.index);
  }
  // `a100` for `a100-sxm-80gb`, `rtx` for `rtx-4090`: parts of names are what people type.
  for (const Key& candidate : keys_) {
    if (key.size() >= 2 && candidate.folded.find(key) != std::string::npos) add(candidate.index);
  }
  return found;
}

const Hardware& HardwareCatalog::get(std::string_view name,
                                     const SourceLocation& where,
                                     const std::string& key) const {
  if (const Hardware* hardware = find(name)) return *hardware;
  std::string hint;
  for (const std::string& suggestion : suggestions(name)) {
    hint += (hint.empty() ? "did you mean " : ", ") + suggestion;
  }
  hint += hint.empty() ? "`headroom list gpus` shows all names" : "?";
  throw ConfigError({{where, key, "no hardware file is named '" + std::string(name) + "'", hint}});
}

}  // namespace headroom::estimator
