#pragma once

#include "core/describe/config_node.h"
#include "core/describe/error.h"
#include "estimator/figure.h"
#include "estimator/node_reader.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace headroom::estimator {

/// A file's number in the unit of a figure.
template <class Unit>
Unit as_unit(double number) {
  if constexpr (std::is_same_v<Unit, double>) {
    return number;
  } else {
    return Unit(static_cast<typename Unit::rep>(number));
  }
}

/// Why no device can have this number; empty when one can. Zero is for the caller to judge.
[[nodiscard]] std::string impossible(double number, Dimension dimension);

/// Reads what every section of a hardware file is made of: figures with a range, a standing and a
/// source. Notes every problem and goes on.
class SectionReader {
 public:
  SectionReader(const ConfigNode& file, std::vector<Problem>& problems);

  [[nodiscard]] MapReader map(const ConfigNode& node, std::string path) {
    return {node, std::move(path), problems_};
  }

  template <class Unit>
  std::optional<Figure<Unit>> figure(MapReader& parent, std::string_view key, Dimension dimension) {
    const ConfigNode* node = parent.find(key);
    if (node == nullptr) return std::nullopt;
    return read_figure<Unit>(*node, parent.path_of(key), dimension);
  }

  template <class Unit>
  Figure<Unit> required_figure(MapReader& parent, std::string_view key, Dimension dimension) {
    const ConfigNode* node = parent.require(key);
    if (node == nullptr) return {};
    return read_figure<Unit>(*node, parent.path_of(key), dimension).value_or(Figure<Unit>{});
  }

  template <class Unit>
  std::optional<Figure<Unit>> read_figure(const ConfigNode& node,
                                          const std::string& path,
                                          Dimension dimension) {
    const auto read = read_number(node, path, dimension);
    if (!read) return std::nullopt;
    return Figure<Unit>{as_unit<Unit>(read->value), as_unit<Unit>(read->low),
                        as_unit<Unit>(read->high), read->standing, read->source};
  }

  Standing standing(MapReader& reader);
  /// A word of the `sources` section stands for its text; anything with a space is the text.
  std::string source(MapReader& reader);
  std::vector<Problem>& problems() { return problems_; }

 private:
  std::optional<Figure<double>> read_number(const ConfigNode& node,
                                            const std::string& path,
                                            Dimension dimension);

  std::vector<Problem>& problems_;
  std::map<std::string, std::string> sources_;
};

}  // namespace headroom::estimator
