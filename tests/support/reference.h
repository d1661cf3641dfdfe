#pragma once

#include "core/describe/shape.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace headroom::test {

/// A tensor of tests/reference: computed by PyTorch, see the README there.
struct ReferenceTensor {
  std::vector<std::int64_t> sizes;
  std::vector<double> values;

  /// The shape with these dimension names; generic ones without.
  [[nodiscard]] Shape shape() const {
    static constexpr const char* kNames[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"};
    Shape shape;
    for (std::size_t d = 0; d < sizes.size(); ++d) shape.append({kNames[d], sizes[d]});
    return shape;
  }
};

/// The file of that name, read once and kept: a loop over a part of a temporary would be a loop
/// over nothing.
[[nodiscard]] inline const nlohmann::json& load_reference(const std::string& name) {
  static std::map<std::string, nlohmann::json> files;
  if (const auto found = files.find(name); found != files.end()) return found->second;
  const std::string path = std::string(HEADROOM_SOURCE_DIR) + "/tests/reference/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  return files.emplace(name, nlohmann::json::parse(file)).first->second;
}

[[nodiscard]] inline ReferenceTensor tensor_of(const nlohmann::json& node) {
  return {node.at("shape").get<std::vector<std::int64_t>>(),
          node.at("data").get<std::vector<double>>()};
}

}  // namespace headroom::test
