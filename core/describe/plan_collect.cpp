#include "core/describe/plan_collect.h"

#include <algorithm>

namespace headroom {
namespace {

std::string place_text(const SourceLocation& where) {
  if (where.line == 0) return where.file;
  return "line " + std::to_string(where.line);
}

std::string printable(std::string_view word) {
  std::string text(word.substr(0, 80));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return text;
}

class Collector {
 public:
  FoundKeys run(const ConfigNode& root) {
    if (root.kind == ConfigNode::Kind::kMap) {
      walk(root, "", "");
    } else {
      complain(root.where, "", "a plan is a mapping of sections such as model: and training:");
    }
    return std::move(found_);
  }

 private:
  void complain(const SourceLocation& where,
                std::string key,
                std::string message,
                std::string hint = {}) {
    found_.problems.push_back({where, std::move(key), std::move(message), std::move(hint)});
  }

  /// `section` is what the mapping means, `written` how it is spelled in the file.
  void walk(const ConfigNode& map, std::string_view section, const std::string& written) {
    for (const ConfigNode::Entry& entry : map.entries) {
      const KeyMatch match = match_key(section, entry.key);
      const std::string path = join_path(written, printable(entry.key));
      if (match.section != nullptr) {
        take_section(*match.section, entry, path);
      } else if (match.key != nullptr) {
        take_key(match, entry, path);
      } else {
        found_.problems.push_back(unknown_key(entry.where, section, entry.key));
        found_.suspects.push_back(nearest_key(section, entry.key));
      }
    }
  }

  void take_section(const SectionSpec& section,
                    const ConfigNode::Entry& entry,
                    const std::string& path) {
    const auto same = std::find_if(found_.sections.begin(), found_.sections.end(),
                                   [&](const FoundSection& s) { return s.section == &section; });
    if (same != found_.sections.end()) {
      complain(entry.where, path, "is given twice, first at " + place_text(same->where),
               "put all its keys under one " + std::string(section.path));
    }
    found_.sections.push_back({&section, entry.where});
    switch (entry.value.kind) {
      case ConfigNode::Kind::kMap:
        walk(entry.value, section.path, path);
        return;
      case ConfigNode::Kind::kNull:
        return;
      case ConfigNode::Kind::kScalar:
        if (!section.shorthand.empty()) {
          add({.key = find_key(section.shorthand),
               .written = path,
               .where = entry.where,
               .value = &entry.value,
               .moved = true});
          return;
        }
        break;
      case ConfigNode::Kind::kList:
        break;
    }
    found_.suspects.emplace_back(section.path);
    complain(entry.value.where, path, "expected keys under it, got a single value or a list",
             "write its keys on the lines below, two spaces further in");
  }

  void take_key(const KeyMatch& match, const ConfigNode::Entry& entry, const std::string& path) {
    if (entry.value.kind == ConfigNode::Kind::kMap) {
      const bool has_inner_keys =
          std::any_of(plan_schema().begin(), plan_schema().end(),
                      [&](const KeySpec& inner) { return inner.section() == match.key->path; });
      if (has_inner_keys) {
        walk(entry.value, match.key->path, path);
        return;
      }
    }
    add({.key = match.key,
         .alias = match.alias,
         .written = path,
         .where = entry.where,
         .value = &entry.value,
         .moved = match.moved});
  }

  void add(FoundKey key) {
    const auto same = std::find_if(found_.keys.begin(), found_.keys.end(),
                                   [&](const FoundKey& other) { return other.key == key.key; });
    if (same == found_.keys.end()) {
      found_.keys.push_back(std::move(key));
    } else if (same->written == key.written) {
      complain(key.where, key.written, "is given twice, first at " + place_text(same->where),
               "keep one of them");
    } else {
      complain(key.where, key.written,
               "means the same as " + same->written + " at " + place_text(same->where),
               "keep only " + std::string(key.key->path));
    }
  }

  FoundKeys found_;
};

}  // namespace

Problem unknown_key(const SourceLocation& where, std::string_view section, std::string_view word) {
  const std::string nearest = nearest_key(section, word);
  return {.where = where,
          .key = join_path(section, printable(word)),
          .message = "unknown key",
          .hint = nearest.empty() ? "`headroom list keys` shows every key"
                                  : "did you mean " + nearest + '?'};
}

FoundKeys find_keys(const ConfigNode& root) { return Collector().run(root); }

}  // namespace headroom
