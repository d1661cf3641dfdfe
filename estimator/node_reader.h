#pragma once

#include "core/describe/config_node.h"
#include "core/describe/error.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::estimator {

/// What a number in a file measures; decides which unit suffixes it may carry.
enum class Dimension : std::uint8_t {
  kPlain,  ///< no suffix, or % for a hundredth
  kShare,  ///< a share of a peak
  kBytes,
  kBytesPerSecond,
  kFlopsPerSecond,
  kSeconds,
};
/// `3.35 TB/s`, `81559 MiB`, `989e12`, `1.5 us`, `80%`. Decimal prefixes are powers of 1000,
/// KiB to TiB powers of 1024. Nothing when `text` is not a finite number of this dimension.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text, Dimension dimension);
/// The suffixes of a dimension, for messages: `B, kB, MB, ...`.
[[nodiscard]] std::string_view unit_names(Dimension dimension);

/// Reads one map of a file strictly, noting every problem and going on.
class MapReader {
 public:
  MapReader(const ConfigNode& node, std::string path, std::vector<Problem>& problems);

  /// The value under `key`, or nullptr. A null value counts as absent.
  const ConfigNode* find(std::string_view key);
  /// As find, and a problem when absent.
  const ConfigNode* require(std::string_view key);

  std::string text(std::string_view key);
  std::string required_text(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::optional<double> number(std::string_view key, Dimension dimension);
  std::optional<double> required_number(std::string_view key, Dimension dimension);
  /// A whole number of at least 1; a problem when absent or anything else.
  std::int64_t required_count(std::string_view key);

  /// Reports keys that were never asked for, and keys written twice.
  void finish();

  [[nodiscard]] std::string path_of(std::string_view key) const;
  void problem(const SourceLocation& where,
               std::string_view key,
               std::string message,
               std::string hint = "");
  [[nodiscard]] const ConfigNode& node() const { return *node_; }

 private:
  const ConfigNode* node_;
  std::string path_;
  std::vector<Problem>* problems_;
  std::vector<std::string> known_;
};

}  // namespace headroom::estimator
