#include "core/io/yaml.h"

#include "core/io/file.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

namespace headroom::io {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostNodes = 100000;
constexpr std::size_t kDeepest = 64;

[[noreturn]] void refuse(SourceLocation where, std::string message, std::string hint = {}) {
  throw ConfigError({{std::move(where), {}, std::move(message), std::move(hint)}});
}

std::size_t count_nodes(const ConfigNode& node) {
  std::size_t count = 1;
  for (const ConfigNode& item : node.items) count += count_nodes(item);
  for (const ConfigNode::Entry& entry : node.entries) count += 1 + count_nodes(entry.value);
  return count;
}

/// The parser counts bytes; people count characters.
SourceLocation location(const YAML::Mark& mark, const std::string& file, std::string_view text) {
  SourceLocation where{.file = file};
  if (mark.is_null()) return where;
  where.line = mark.line + 1;
  where.column = mark.column + 1;
  const auto end = static_cast<std::size_t>(mark.pos);
  const auto length = static_cast<std::size_t>(mark.column);
  if (mark.column < 0 || length > end || end > text.size()) return where;
  for (const char c : text.substr(end - length, length)) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    where.column -= continues ? 1 : 0;
  }
  return where;
}

/// Turns the parser's events into a tree.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  ConfigNode take_root() { return std::move(root_); }
  [[nodiscard]] bool is_empty() const { return !has_root_; }

  /// The parser takes a quote that is still open at the end of the file for closed.
  void check_last_quote() const {
    const auto start = static_cast<std::size_t>(last_quoted_.pos);
    if (start >= text_.size() || (text_[start] != '"' && text_[start] != '\'')) return;
    if (!is_closed(text_.substr(start))) refuse(at(last_quoted_), "this quote is never closed");
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (has_root_) refuse(at(mark), "a second document starts here", "keep one document per file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(ConfigNode{.kind = ConfigNode::Kind::kNull, .where = at(mark)}, anchor);
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    ConfigNode node{.kind = ConfigNode::Kind::kScalar, .where = at(mark), .scalar = value};
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (tag == "!") last_quoted_ = mark;
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(at(mark), "an alias to a value that contains it");
    nodes_ += count_nodes(found->second) - 1;
    finish(found->second, 0, at(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string&,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(ConfigNode::Kind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark,
                  const std::string&,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(ConfigNode::Kind::kMap, mark, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  /// A list or mapping whose end has not been seen.
  struct Open {
    ConfigNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  ///< the next value belongs to `key`
    ConfigNode key;
    std::set<std::string> merged;  ///< keys that came by `<<`
  };

  [[nodiscard]] SourceLocation at(const YAML::Mark& mark) const {
    return location(mark, file_, text_);
  }

  /// `quoted` begins with a quote; true when the same one ends it, escapes apart.
  static bool is_closed(std::string_view quoted) {
    const char quote = quoted.front();
    for (std::size_t i = 1; i < quoted.size(); ++i) {
      const bool doubled = quote == '\'' && quoted.substr(i, 2) == "''";
      if (doubled || (quote == '"' && quoted[i] == '\\')) {
        ++i;
      } else if (quoted[i] == quote) {
        return true;
      }
    }
    return false;
  }

  void begin(ConfigNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= kDeepest) {
      refuse(at(mark), "nested deeper than " + std::to_string(kDeepest) + " levels");
    }
    open_.push_back({.node = {.kind = kind, .where = at(mark)}, .anchor = anchor});
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    finish(std::move(done.node), done.anchor);
  }

  void finish(ConfigNode node, YAML::anchor_t anchor) {
    const SourceLocation where = node.where;
    finish(std::move(node), anchor, where);
  }

  /// Puts a complete node where it belongs. `where` is where it is used, also of an alias.
  void finish(ConfigNode node, YAML::anchor_t anchor, const SourceLocation& where) {
    if (++nodes_ > kMostNodes) {
      refuse(where, "more than " + std::to_string(kMostNodes) + " values");
    }
    if (anchor != 0) anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
      has_root_ = true;
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == ConfigNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      parent.key = std::move(node);
      parent.key.where = where;
      parent.has_key = true;
    } else {
      parent.has_key = false;
      add_entry(parent, std::move(node));
    }
  }

  void add_entry(Open& parent, ConfigNode value) {
    const ConfigNode& key = parent.key;
    if (key.kind == ConfigNode::Kind::kList || key.kind == ConfigNode::Kind::kMap) {
      refuse(key.where, "a key must be a word, not a list or mapping");
    }
    if (key.scalar == "<<" && !key.quoted) {
      merge(parent, value);
      return;
    }
    const std::string word = key.kind == ConfigNode::Kind::kNull ? "null" : key.scalar;
    // A key of the mapping itself takes the place of the same key that came by `<<`.
    if (parent.merged.erase(word) > 0) {
      std::erase_if(parent.node.entries,
                    [&](const ConfigNode::Entry& entry) { return entry.key == word; });
    }
    parent.node.entries.push_back({word, key.where, std::move(value)});
  }

  /// `<<: *base`: keys of the base that the mapping does not give itself.
  void merge(Open& parent, const ConfigNode& base) {
    if (base.kind == ConfigNode::Kind::kList) {
      for (const ConfigNode& item : base.items) merge(parent, item);
      return;
    }
    if (base.kind != ConfigNode::Kind::kMap) {
      refuse(parent.key.where, "'<<' takes a mapping, such as an alias to one");
    }
    for (const ConfigNode::Entry& entry : base.entries) {
      if (parent.node.find(entry.key) != nullptr) continue;
      parent.node.entries.push_back(entry);
      parent.merged.insert(entry.key);
    }
  }

  std::string file_;
  std::string_view text_;
  ConfigNode root_;
  bool has_root_ = false;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, ConfigNode> anchors_;
  std::size_t nodes_ = 0;
  YAML::Mark last_quoted_;
};

/// The parser's own words, without its position, which is shown as ours.
void refuse_syntax(const YAML::Exception& error, const std::string& file, std::string_view text) {
  const SourceLocation where = location(error.mark, file, text);
  const bool tab = text.find("\n\t") != std::string_view::npos;
  refuse(where, "this is not valid YAML: " + error.msg,
         tab ? "indent with spaces, not tabs" : "check indentation, colons and closing brackets");
}

std::string read_stream(std::istream& in, const std::string& file) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostBytes) refuse({.file = file}, "larger than 16 MiB", "is this a plan?");
  }
  return text;
}

}  // namespace

ConfigNode parse_yaml(std::string_view text, const std::string& file) {
  if (text.find('\0') != std::string_view::npos) {
    refuse({.file = file}, "this is a binary file, not YAML");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  TreeBuilder builder(file, text);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
    builder.check_last_quote();
  } catch (const YAML::Exception& error) {
    refuse_syntax(error, file, text);
  }
  ConfigNode root = builder.take_root();
  if (builder.is_empty() || root.kind == ConfigNode::Kind::kNull) {
    refuse({.file = file}, "the file is empty");
  }
  return root;
}

ConfigNode read_yaml(const std::filesystem::path& path) {
  if (path == "-") return parse_yaml(read_stream(std::cin, "standard input"), "standard input");
  std::error_code ignored;
  if (const auto type = std::filesystem::status(path, ignored).type();
      type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::character) {
    std::ifstream in(path);  // such as a shell's <(command)
    return parse_yaml(read_stream(in, path.string()), path.string());
  }
  const FileDescriptor file = open_to_read(path);
  const std::uint64_t size = file_size(file, path);
  if (size > kMostBytes) refuse({.file = path.string()}, "larger than 16 MiB", "is this a plan?");
  std::string text(size, '\0');
  read_exactly(file, 0, std::as_writable_bytes(std::span(text)), path);
  return parse_yaml(text, path.string());
}

std::string yaml_scalar(std::string_view text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  constexpr std::array<std::string_view, 9> kSpecial = {"",     "~",     "null", "Null", "NULL",
                                                        "true", "false", ".",    "-"};
  const bool plain = text.find_first_not_of(kSafe) == std::string_view::npos &&
                     std::find(kSpecial.begin(), kSpecial.end(), text) == kSpecial.end() &&
                     text.front() != '-';
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
      quoted += escape.data();
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace headroom::io
