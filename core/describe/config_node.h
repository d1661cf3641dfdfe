#pragma once

#include "core/describe/error.h"

#include <string>
#include <utility>
#include <vector>

namespace headroom {

/// A parsed configuration file before any meaning is given to it: YAML, JSON and command-line
/// overrides all become this, so that the schema knows nothing of syntax and every value knows
/// where it was written.
struct ConfigNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  SourceLocation where;
  std::string scalar;   ///< text of a scalar as written, without quotes
  bool quoted = false;  ///< the scalar was quoted, so it is text even if it looks like a number
  std::vector<ConfigNode> items;  ///< of a list
  std::vector<Entry> entries;     ///< of a map, in file order; duplicate keys are kept

  /// The last entry with this key, or nullptr.
  [[nodiscard]] const ConfigNode* find(const std::string& key) const;
};

struct ConfigNode::Entry {
  std::string key;
  SourceLocation where;  ///< of the key
  ConfigNode value;
};

inline const ConfigNode* ConfigNode::find(const std::string& key) const {
  const ConfigNode* found = nullptr;
  for (const Entry& entry : entries) {
    if (entry.key == key) found = &entry.value;
  }
  return found;
}

}  // namespace headroom
