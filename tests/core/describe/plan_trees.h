#pragma once

#include "core/describe/config_node.h"

#include <initializer_list>
#include <string>
#include <utility>

/// Configuration trees built by hand, so that the schema is tested without any file syntax.
namespace headroom::test {

inline ConfigNode scalar(const std::string& text, int line = 1) {
  return {.kind = ConfigNode::Kind::kScalar, .where = {"plan.yaml", line, 9}, .scalar = text};
}

inline ConfigNode quoted(const std::string& text) {
  ConfigNode node = scalar(text);
  node.quoted = true;
  return node;
}

inline ConfigNode list(std::initializer_list<std::string> items) {
  ConfigNode node{.kind = ConfigNode::Kind::kList, .where = {"plan.yaml", 1, 9}};
  for (const std::string& item : items) node.items.push_back(scalar(item));
  return node;
}

inline ConfigNode map(std::initializer_list<std::pair<std::string, ConfigNode>> entries) {
  ConfigNode node{.kind = ConfigNode::Kind::kMap, .where = {"plan.yaml", 1, 1}};
  for (const auto& [key, value] : entries) {
    node.entries.push_back({key, {"plan.yaml", value.where.line, 3}, value});
  }
  return node;
}

/// The smallest complete plan.
inline ConfigNode small_plan() {
  return map({{"model", map({{"type", scalar("cruncher", 2)},
                             {"dim", scalar("8", 3)},
                             {"num_layers", scalar("2", 4)}})},
              {"training", map({{"micro_batch_size", scalar("4", 6)},
                                {"optimizer", map({{"name", scalar("sgd", 8)}})},
                                {"max_steps", scalar("10", 9)}})}});
}

}  // namespace headroom::test
