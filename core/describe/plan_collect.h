#pragma once

#include "core/describe/config_node.h"
#include "core/describe/plan_keys.h"

#include <string>
#include <vector>

namespace headroom {

/// A key as written in a file, with what it stands for. Pointers lead into the tree it was found
/// in.
struct FoundKey {
  const KeySpec* key = nullptr;
  const KeyAlias* alias = nullptr;
  std::string written;   ///< dotted path as written
  SourceLocation where;  ///< of the key
  const ConfigNode* value = nullptr;
  bool moved = false;  ///< written at another level than the schema's
  [[nodiscard]] bool renamed() const { return alias != nullptr || moved; }
};

struct FoundSection {
  const SectionSpec* section = nullptr;
  SourceLocation where;
};

/// Everything written in a file that the schema knows, in file order.
struct FoundKeys {
  std::vector<FoundKey> keys;
  std::vector<FoundSection> sections;
  std::vector<Problem> problems;  ///< unknown keys, repeated keys, mappings in place of values
  /// Keys and sections that a problem above is probably about, so that they are not called missing
  /// as well.
  std::vector<std::string> suspects;
};

[[nodiscard]] FoundKeys find_keys(const ConfigNode& root);

/// `unknown key`, with the nearest known one.
[[nodiscard]] Problem unknown_key(const SourceLocation& where,
                                  std::string_view section,
                                  std::string_view word);

}  // namespace headroom
