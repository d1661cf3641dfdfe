#pragma once

#include "core/describe/config_node.h"
#include "core/describe/plan_schema.h"

#include <string>

namespace headroom {

/// A written value with the type of its key, or what is wrong with it.
struct ValueReading {
  KeyValue value;       ///< monostate when there is a problem
  std::string problem;  ///< empty when the value is good
  std::string hint;
  std::string note;  ///< the value was understood under another name
};

/// Reads a value for `key`: its type, its limits, its known words and their other spellings.
[[nodiscard]] ValueReading read_value(const KeySpec& key, const ConfigNode& node);
/// true, yes, on / false, no, off, whatever the case; nothing for other text.
[[nodiscard]] std::optional<bool> read_bool(const ConfigNode& node);
/// A finite number in any usual spelling (`3e-4`, `1_000`); nothing for other text.
[[nodiscard]] std::optional<double> read_real(std::string text);

}  // namespace headroom
