#include "core/describe/plan_schema.h"
#include "core/io/plan_yaml.h"
#include "core/io/yaml.h"

#include <cctype>
#include <vector>

namespace headroom::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kColumns = 100;

/// Breaks `text` into comment lines no longer than a page is wide.
void add_comment(std::string& out, std::size_t indent, std::string_view text) {
  const std::string start = std::string(indent, ' ') + '#';
  std::string line = start;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (line.size() + 1 + word.size() > kColumns && line.size() > start.size()) {
      out += line + '\n';
      line = start;
    }
    line += ' ';
    line += word;
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  out += line + '\n';
}

/// `required ...` or `default: ...`.
std::string default_phrase(const KeySpec& key) {
  const std::string text(key.default_text);
  return text.starts_with("required") ? text : "default: " + text;
}

std::string capitalised(std::string text) {
  if (!text.empty()) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  }
  return text;
}

std::string facts(const KeySpec& key) {
  std::string text(key.meaning);
  if (!key.unit.empty()) text += " Unit: " + std::string(key.unit) + '.';
  if (const std::string range = range_text(key); !range.empty()) {
    text += ' ' + capitalised(range) + '.';
  }
  return text + ' ' + capitalised(default_phrase(key)) + '.';
}

std::string brief(const KeySpec& key) {
  return key.unit.empty() ? default_phrase(key)
                          : std::string(key.unit) + "; " + default_phrase(key);
}

bool is_inside(std::string_view section, std::string_view path) {
  return section.empty() ||
         (path.size() > section.size() && path.starts_with(section) && path[section.size()] == '.');
}

bool has_inner_keys(const Plan& plan, const KeySpec& key) {
  for (const KeySpec& inner : plan_schema()) {
    if (inner.section() == key.path && inner.applies_to(plan)) return true;
  }
  return false;
}

class PlanWriter {
 public:
  PlanWriter(const Plan& plan, const WriteOptions& options) : plan_(plan), options_(options) {}

  std::string run() {
    for (const KeySpec& key : plan_schema()) {
      if (is_written(key)) write(key);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_written(const KeySpec& key) const {
    if (key.derived || key.loader || !key.applies_to(plan_)) return false;
    // `{every: k}` says both the policy and its number.
    if (has_inner_keys(plan_, key)) return false;
    if (options_.given_only && options_.origins != nullptr && !is_given(key)) return false;
    const KeyValue value = key.access.get(plan_);
    if (std::holds_alternative<std::monostate>(value)) return false;
    const std::string* text = std::get_if<std::string>(&value);
    return text == nullptr || !text->empty();
  }

  /// The number of `{every: k}` also when only its policy was given.
  [[nodiscard]] bool is_given(const KeySpec& key) const {
    return options_.origins->contains(key.path) || options_.origins->contains(key.section());
  }

  void write(const KeySpec& key) {
    open_sections(key);
    const std::size_t indent = 2 * open_.size();
    if (options_.comments == Comments::kFull) {
      add_comment(out_, indent, facts(key));
      if (!key.memory.empty()) add_comment(out_, indent, "Memory: " + std::string(key.memory));
      if (!key.time.empty()) add_comment(out_, indent, "Time: " + std::string(key.time));
    }
    out_ += std::string(indent, ' ') + std::string(key.leaf()) + ": " + value_text(key);
    if (options_.show_origins && options_.origins != nullptr) {
      out_ += "  # " + one_line(origin_text(*options_.origins, key.path));
    } else if (options_.comments == Comments::kBrief) {
      out_ += "  # " + brief(key);
    }
    out_ += '\n';
  }

  [[nodiscard]] std::string value_text(const KeySpec& key) const {
    const KeyValue value = key.access.get(plan_);
    if (const std::string* text = std::get_if<std::string>(&value)) {
      return yaml_scalar(key.kind == KeyKind::kText ? relative(key, *text) : *text);
    }
    return to_text(value);
  }

  [[nodiscard]] std::string relative(const KeySpec& key, const std::string& text) const {
    const fs::path path(text);
    if (options_.relative_to.empty() || !path.is_absolute() || key.path == "output.dir") {
      return text;
    }
    const fs::path base = fs::absolute(options_.relative_to).lexically_normal();
    const std::string shorter = path.lexically_relative(base).string();
    return shorter.empty() || shorter.starts_with("..") ? text : shorter;
  }

  static std::string one_line(std::string text) {
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    return text;
  }

  void open_sections(const KeySpec& key) {
    while (!open_.empty() && !is_inside(open_.back(), key.path)) open_.pop_back();
    const std::string_view section = key.section();
    while ((open_.empty() ? std::string_view() : open_.back()) != section) {
      const std::size_t start = open_.empty() ? 0 : open_.back().size() + 1;
      const std::string_view next = section.substr(0, section.find('.', start));
      if (options_.comments == Comments::kFull) {
        if (open_.empty() && !out_.empty()) out_ += '\n';
        if (const SectionSpec* spec = find_section(next)) {
          add_comment(out_, 2 * open_.size(), spec->meaning);
        }
      }
      out_ += std::string(2 * open_.size(), ' ') + std::string(next.substr(start)) + ":\n";
      open_.push_back(next);
    }
  }

  const Plan& plan_;
  const WriteOptions& options_;
  std::string out_;
  std::vector<std::string_view> open_;  ///< sections around the next line, outermost first
};

}  // namespace

std::string write_plan_yaml(const Plan& plan, const WriteOptions& options) {
  return PlanWriter(plan, options).run();
}

}  // namespace headroom::io
