#include "trainer/data/csv.h"

#include "core/describe/error.h"
#include "core/describe/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace headroom::trainer {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// A finite number in f32, or nothing.
std::optional<float> number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const auto narrow = static_cast<float>(value);
  if (!std::isfinite(narrow)) return std::nullopt;
  return narrow;
}

/// A word that stands for a number that is missing or not finite: `nan`, `-inf`, `1e999`, `NA`. It
/// is no name of a column.
bool is_lost_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::invalid_argument && end == text.data() + text.size()) return true;
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 5> kMissing = {"na", "n/a", "null", "none", "-"};
  return std::find(kMissing.begin(), kMissing.end(), word) != kMissing.end();
}

/// A field that only a header line has.
bool is_column_name(std::string_view text) {
  return !text.empty() && !number(text) && !is_lost_number(text);
}

constexpr std::array kSeparators = {',', ';', '\t'};

std::string_view name_of(char separator) {
  return separator == ',' ? "comma" : separator == ';' ? "semicolon" : "tab";
}

char most_frequent_separator(std::string_view line) {
  std::array<std::int64_t, kSeparators.size()> counts{};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    for (std::size_t i = 0; i < kSeparators.size(); ++i) {
      if (!quoted && c == kSeparators[i]) ++counts[i];
    }
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  return kSeparators[static_cast<std::size_t>(most - counts.begin())];
}

struct Field {
  std::string_view text;   ///< without quotes and padding; doubled quotes stay doubled
  std::size_t column = 0;  ///< where it begins, from 1
};

/// Splits lines into fields; keeps its buffer from line to line.
class LineSplitter {
 public:
  explicit LineSplitter(char separator) : separator_(separator) {}

  /// Returns nothing when a quote stays open; `bad_column` then says where it opened.
  const std::vector<Field>* split(std::string_view line, std::size_t& bad_column) {
    fields_.clear();
    std::size_t at = 0;
    while (true) {
      const std::size_t begin = at;
      while (at < line.size() && line[at] == ' ') ++at;
      if (at < line.size() && line[at] == '"') {
        const std::size_t open = at++;
        while (at < line.size() &&
               (line[at] != '"' || (at + 1 < line.size() && line[at + 1] == '"'))) {
          at += line[at] == '"' ? 2 : 1;
        }
        if (at >= line.size()) {
          bad_column = open + 1;
          return nullptr;
        }
        const std::string_view inner = line.substr(open + 1, at - open - 1);
        ++at;
        const std::size_t after = at;
        at = std::min(line.find(separator_, at), line.size());
        // Text after the closing quote belongs to the field, so that it is reported as no number.
        const bool clean = trim(line.substr(after, at - after)).empty();
        fields_.push_back({trim(clean ? inner : line.substr(open, at - open)), open + 1});
      } else {
        at = std::min(line.find(separator_, at), line.size());
        fields_.push_back({trim(line.substr(begin, at - begin)), begin + 1});
      }
      if (at >= line.size()) return &fields_;
      ++at;
    }
  }

 private:
  char separator_;
  std::vector<Field> fields_;
};

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 30;
  std::string result(text.substr(0, kLongest));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  }
  return text.size() > kLongest ? result + "..." : result;
}

/// Hands out the lines that are not empty, with their numbers.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }
  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line = rest_.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!trim(line).empty()) return true;
    }
    return false;
  }
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] std::size_t rest() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

class Reader {
 public:
  Reader(std::string_view text, const std::filesystem::path& path) : lines_(text), path_(path) {}

  CsvTable read() {
    std::string_view line;
    if (!lines_.next(line)) {
      throw IoError(fmt::format("{} is empty: it holds no data", path_.string()));
    }
    table_.separator = most_frequent_separator(line);
    LineSplitter splitter(table_.separator);
    const std::vector<Field>& first = split(splitter, line);
    table_.columns = static_cast<std::int64_t>(first.size());
    const bool header = std::any_of(first.begin(), first.end(),
                                    [](const Field& field) { return is_column_name(field.text); });
    if (header) {
      for (const Field& field : first) table_.names.emplace_back(field.text);
    } else {
      reserve(line.size());
      append(first, line);
    }
    while (lines_.next(line)) {
      if (table_.rows == 0) reserve(line.size());
      append(split(splitter, line), line);
    }
    if (table_.rows == 0) {
      throw IoError(fmt::format("{} holds a header line and no data", path_.string()));
    }
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw IoError(fmt::format("{}:{}:{}: {}", path_.string(), lines_.number(), column, what));
  }

  const std::vector<Field>& split(LineSplitter& splitter, std::string_view line) {
    std::size_t bad_column = 0;
    const std::vector<Field>* fields = splitter.split(line, bad_column);
    if (fields == nullptr) fail(bad_column, "the quote is not closed on this line");
    return *fields;
  }

  void reserve(std::size_t line_bytes) {
    const std::size_t lines = lines_.rest() / std::max<std::size_t>(line_bytes, 1) + 1;
    table_.values.reserve((lines + lines / 8) * static_cast<std::size_t>(table_.columns));
  }

  /// What to do when a line was cut at the wrong places; empty when nothing points to that.
  [[nodiscard]] std::string separator_hint(std::string_view line) const {
    const std::string taken =
        fmt::format("fields are separated by the {} that the first line has most of",
                    name_of(table_.separator));
    for (const char other : kSeparators) {
      if (other == table_.separator || line.find(other) == std::string_view::npos) continue;
      if (other == ',') {
        return fmt::format(" ({}; write decimals with a point, not a comma)", taken);
      }
      return fmt::format(
          " ({}, but this line has a {}: use one separator in the whole file, and "
          "decimals with a point)",
          taken, name_of(other));
    }
    // Words beside each other, or columns of other programs.
    if (table_.columns == 1 && line.find_first_of(" |:") != std::string_view::npos) {
      return " (separate fields by comma, semicolon or tab)";
    }
    return "";
  }

  void append(const std::vector<Field>& fields, std::string_view line) {
    if (static_cast<std::int64_t>(fields.size()) != table_.columns) {
      fail(1, fmt::format("{}, but the first line has {}{}",
                          format_counted(static_cast<std::int64_t>(fields.size()), "field"),
                          table_.columns, separator_hint(line)));
    }
    for (const Field& field : fields) {
      const std::optional<float> value = number(field.text);
      if (!value) {
        fail(field.column, field.text.empty()
                               ? std::string("the field is empty; fill in or remove the line")
                               : fmt::format("'{}' is not a finite number{}", shown(field.text),
                                             separator_hint(line)));
      }
      table_.values.push_back(*value);
    }
    ++table_.rows;
  }

  Lines lines_;
  const std::filesystem::path& path_;
  CsvTable table_;
};

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool looks_like_csv(std::span<const std::byte> beginning) {
  constexpr std::size_t kEnough = 4096;
  const bool whole = beginning.size() <= kEnough;
  const std::string_view text = as_text(beginning.first(std::min(beginning.size(), kEnough)));
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' && c != '\n' && c != '\r' && c != '\t') return false;
  }
  // A line of numbers decides; the first may be a header, the last may be cut off.
  Lines lines(text);
  std::string_view line;
  for (int i = 0; i < 2 && lines.next(line); ++i) {
    if (!whole && lines.rest() == 0) return false;
    std::size_t bad_column = 0;
    LineSplitter splitter(most_frequent_separator(line));
    const std::vector<Field>* fields = splitter.split(line, bad_column);
    if (fields == nullptr) return false;
    const bool numbers = std::all_of(fields->begin(), fields->end(), [](const Field& field) {
      return number(field.text).has_value();
    });
    if (numbers) return true;
  }
  return false;
}

CsvTable read_csv(std::span<const std::byte> file, const std::filesystem::path& path) {
  return Reader(as_text(file), path).read();
}

}  // namespace headroom::trainer
