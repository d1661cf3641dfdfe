#include "core/describe/plan_override.h"

#include "core/describe/plan_collect.h"
#include "core/describe/plan_value.h"
#include "core/describe/spelling.h"

#include <algorithm>
#include <set>

namespace headroom {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(const SourceLocation& where, std::string message, std::string hint) {
  throw ConfigError({{where, {}, std::move(message), std::move(hint)}});
}

/// Reads the value of an override from front to back.
class ValueParser {
 public:
  ValueParser(std::string_view text, SourceLocation where)
      : rest_(trimmed(text)), where_(std::move(where)) {}

  ConfigNode run() {
    ConfigNode node = rest_.starts_with('[') ? list() : scalar("");
    rest_ = trimmed(rest_);
    if (!rest_.empty()) {
      refuse(where_, "unexpected '" + std::string(rest_) + "' after the value",
             "put text with brackets or quotes in quotes");
    }
    return node;
  }

 private:
  ConfigNode list() {
    ConfigNode node{.kind = ConfigNode::Kind::kList, .where = where_};
    rest_.remove_prefix(1);
    for (;;) {
      rest_ = trimmed(rest_);
      if (rest_.empty()) refuse(where_, "the list has no closing ']'", "write it as [64, 64]");
      if (rest_.front() == ']') break;
      node.items.push_back(scalar(",]"));
      rest_ = trimmed(rest_);
      if (rest_.starts_with(',')) rest_.remove_prefix(1);
    }
    rest_.remove_prefix(1);
    return node;
  }

  /// A word up to one of `ends`, or a quoted text.
  ConfigNode scalar(std::string_view ends) {
    ConfigNode node{.kind = ConfigNode::Kind::kScalar, .where = where_};
    if (rest_.starts_with('"') || rest_.starts_with('\'')) {
      const std::size_t close = rest_.find(rest_.front(), 1);
      if (close == std::string_view::npos) refuse(where_, "the quote is not closed", "");
      node.scalar = rest_.substr(1, close - 1);
      node.quoted = true;
      rest_.remove_prefix(close + 1);
      return node;
    }
    const std::size_t end = ends.empty() ? rest_.size() : rest_.find_first_of(ends);
    const std::string_view word = rest_.substr(0, end);
    node.scalar = trimmed(word);
    if (node.scalar.empty()) node.kind = ConfigNode::Kind::kNull;
    rest_.remove_prefix(word.size());
    return node;
  }

  std::string_view rest_;
  SourceLocation where_;
};

enum class Action { kSet, kAdd, kDrop };

struct Word {
  Action action = Action::kSet;
  std::string path;  ///< as typed
  std::string value;
};

Word split_word(const std::string& word, const SourceLocation& where) {
  Word result;
  std::string_view rest = word;
  if (rest.starts_with('~')) {
    result.action = Action::kDrop;
    result.path = trimmed(rest.substr(1));
    if (result.path.find('=') != std::string::npos) {
      refuse(where, "'~' drops a key and takes no value", "write ~key.path");
    }
    return result;
  }
  if (rest.starts_with("++")) {
    rest.remove_prefix(2);
  } else if (rest.starts_with('+')) {
    result.action = Action::kAdd;
    rest.remove_prefix(1);
  }
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) {
    refuse(where, "an override is written key.path=value, or ~key.path to drop a key", "");
  }
  result.path = trimmed(rest.substr(0, equals));
  result.value = rest.substr(equals + 1);
  return result;
}

/// True when the entry sets `key`, under whatever name.
bool sets(const ConfigNode::Entry& entry, const KeyMatch& match, const KeySpec& key) {
  if (match.key == &key) return true;
  const bool shorthand = match.section != nullptr && match.section->shorthand == key.path &&
                         entry.value.kind == ConfigNode::Kind::kScalar;
  return shorthand;
}

bool lies_in(std::string_view path, std::string_view section) {
  return path.size() > section.size() && path.starts_with(section) && path[section.size()] == '.';
}

std::string first_key(const SectionSpec& section) {
  for (const KeySpec& key : plan_schema()) {
    if (key.section() == section.path) return std::string(key.path);
  }
  return std::string(section.path) + ".key";
}

class Editor {
 public:
  explicit Editor(ConfigNode& root) : root_(root) {}

  /// Removes the key wherever and however it is written. Returns where it was.
  std::vector<SourceLocation> erase(const KeySpec& key) {
    std::vector<SourceLocation> places;
    erase_in(root_, "", key, places);
    return places;
  }

  std::vector<SourceLocation> erase(const SectionSpec& section) {
    std::vector<SourceLocation> places;
    erase_section_in(root_, "", section, places);
    return places;
  }

  void insert(const KeySpec& key, ConfigNode value, const SourceLocation& where) {
    ConfigNode* map = &root_;
    std::string_view rest = key.path;
    std::string path;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      const std::string name(rest.substr(0, dot));
      path = join_path(path, name);
      map = &open(*map, name, path, where);
      rest.remove_prefix(dot + 1);
    }
    map->entries.push_back({std::string(rest), where, std::move(value)});
  }

 private:
  static void erase_in(ConfigNode& map,
                       std::string_view section,
                       const KeySpec& key,
                       std::vector<SourceLocation>& places) {
    std::erase_if(map.entries, [&](ConfigNode::Entry& entry) {
      const KeyMatch match = match_key(section, entry.key);
      const bool inner = entry.value.kind == ConfigNode::Kind::kMap;
      if (inner && match.section != nullptr) {
        erase_in(entry.value, match.section->path, key, places);
      } else if (inner && match.key != nullptr && match.key != &key) {
        erase_in(entry.value, match.key->path, key, places);
      }
      if (!sets(entry, match, key)) return false;
      places.push_back(entry.where);
      return true;
    });
  }

  static void erase_section_in(ConfigNode& map,
                               std::string_view section,
                               const SectionSpec& target,
                               std::vector<SourceLocation>& places) {
    std::erase_if(map.entries, [&](ConfigNode::Entry& entry) {
      const KeyMatch match = match_key(section, entry.key);
      const bool inside = match.section == &target ||
                          (match.section != nullptr && lies_in(match.section->path, target.path)) ||
                          (match.key != nullptr && lies_in(match.key->path, target.path));
      if (inside) {
        places.push_back(entry.where);
        return true;
      }
      if (match.section != nullptr && entry.value.kind == ConfigNode::Kind::kMap) {
        erase_section_in(entry.value, match.section->path, target, places);
      }
      return false;
    });
  }

  /// The mapping `name` inside `map`; made when absent, and in place of a single word or nothing.
  static ConfigNode& open(ConfigNode& map,
                          const std::string& name,
                          const std::string& path,
                          const SourceLocation& where) {
    for (ConfigNode::Entry& entry : map.entries) {
      if (entry.key != name) continue;
      if (entry.value.kind == ConfigNode::Kind::kMap) return entry.value;
      if (find_key(path) != nullptr || entry.value.kind == ConfigNode::Kind::kNull) {
        entry.value = ConfigNode{.kind = ConfigNode::Kind::kMap, .where = where};
        return entry.value;
      }
      if (const SectionSpec* section = find_section(path); section && !section->shorthand.empty()) {
        ConfigNode word = std::move(entry.value);
        entry.value = ConfigNode{.kind = ConfigNode::Kind::kMap, .where = word.where};
        const std::string leaf(find_key(section->shorthand)->leaf());
        entry.value.entries.push_back({leaf, entry.where, std::move(word)});
        return entry.value;
      }
    }
    map.entries.push_back(
        {name, where, ConfigNode{.kind = ConfigNode::Kind::kMap, .where = where}});
    return map.entries.back().value;
  }

  ConfigNode& root_;
};

class Overrides {
 public:
  explicit Overrides(ConfigNode& root) : editor_(root) {}

  void apply(const std::string& text, const SourceLocation& where) {
    const Word word = split_word(text, where);
    const KeyMatch match = match_key("", word.path);
    if (!match) throw ConfigError({unknown_key(where, "", word.path)});
    if (word.action == Action::kDrop) {
      drop(match, word, where);
      return;
    }
    const KeySpec* key = match.key;
    if (key == nullptr && !match.section->shorthand.empty())
      key = find_key(match.section->shorthand);
    if (key == nullptr) {
      throw ConfigError(
          {{where, std::string(match.section->path), "is a section, not a key",
            "set its keys one by one, as in " + first_key(*match.section) + "=value"}});
    }
    set(*key, match.alias, word, where);
  }

 private:
  void drop(const KeyMatch& match, const Word& word, const SourceLocation& where) {
    const auto places =
        match.key != nullptr ? editor_.erase(*match.key) : editor_.erase(*match.section);
    if (places.empty()) {
      throw ConfigError({{where, word.path, "nothing to drop: the plan does not give it", ""}});
    }
  }

  void set(const KeySpec& key,
           const KeyAlias* alias,
           const Word& word,
           const SourceLocation& where) {
    ConfigNode value = parse_override_value(word.value, where);
    const std::vector<SourceLocation> places = editor_.erase(key);
    if (word.action == Action::kAdd && !places.empty()) {
      throw ConfigError({{where, word.path, "is already given", "leave out the '+' to change it"}});
    }
    const bool turned_off = read_bool(value) == false;
    for (const KeySpec& other : plan_schema()) {
      const bool rival =
          key.exclusive > 0 && other.exclusive == key.exclusive && &other != &key && !turned_off;
      if (rival && !overridden_.contains(&other)) editor_.erase(other);
    }
    overridden_.insert(&key);
    insert(key, alias, std::move(value), where);
  }

  /// A switch such as gradient_checkpointing keeps its own name, since its value is another one.
  void insert(const KeySpec& key,
              const KeyAlias* alias,
              ConfigNode value,
              const SourceLocation& where) {
    const bool own_value = alias != nullptr && (!alias->if_true.empty() || alias->ratio_of_steps);
    if (!own_value) {
      editor_.insert(key, std::move(value), where);
      return;
    }
    KeySpec renamed = key;
    const std::string path = join_path(key.section(), alias->word);
    renamed.path = path;
    editor_.insert(renamed, std::move(value), where);
  }

  Editor editor_;
  std::set<const KeySpec*> overridden_;
};

}  // namespace

ConfigNode parse_override_value(const std::string& text, const SourceLocation& where) {
  return ValueParser(text, where).run();
}

std::vector<Problem> apply_overrides(ConfigNode& root, std::span<const std::string> words) {
  std::vector<Problem> problems;
  if (root.kind == ConfigNode::Kind::kNull) root.kind = ConfigNode::Kind::kMap;
  Overrides overrides(root);
  int number = 0;
  for (const std::string& word : words) {
    ++number;
    SourceLocation where;
    where.file.append("override ").append(std::to_string(number));
    where.file.append(" '").append(printable(word)).append("'");
    try {
      overrides.apply(word, where);
    } catch (const ConfigError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  return problems;
}

}  // namespace headroom
