#pragma once

#include "core/describe/config_node.h"
#include "estimator/hardware.h"

#include <string>
#include <string_view>
#include <vector>

namespace headroom::estimator {

/// The hardware files of a folder, found by name or alias. Case, spaces, dashes and underscores do
/// not count: `H100 SXM`, `h100-sxm` and `h100_sxm` are the same name.
class HardwareCatalog {
 public:
  HardwareCatalog() = default;
  /// Errors: ConfigError with the problems of all files, and names that two files claim.
  explicit HardwareCatalog(const std::vector<ConfigNode>& files);

  [[nodiscard]] const std::vector<Hardware>& all() const { return all_; }
  /// nullptr when nothing has this name.
  [[nodiscard]] const Hardware* find(std::string_view name) const;
  /// Errors: ConfigError at `where` under `key` with the nearest names.
  [[nodiscard]] const Hardware& get(std::string_view name,
                                    const SourceLocation& where = {},
                                    const std::string& key = "hardware.gpu") const;
  /// The names closest to `name`, best first, at most three.
  [[nodiscard]] std::vector<std::string> suggestions(std::string_view name) const;

 private:
  struct Key {
    std::string folded;
    std::size_t index;
  };
  std::vector<Hardware> all_;
  std::vector<Key> keys_;
};

}  // namespace headroom::estimator
