#include "core/describe/plan_keys.h"

#include <algorithm>
#include <vector>

namespace headroom {
namespace {

/// True when `outer` is a mapping around `inner`; the top is around every other mapping.
bool is_around(std::string_view outer, std::string_view inner) {
  if (outer.empty()) return !inner.empty();
  return inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '.';
}

KeyMatch match_as(const KeySpec& key, std::string_view section, std::string_view word) {
  const bool above = is_around(section, key.section());
  if (!above && section != key.section()) return {};
  for (const KeyAlias& alias : key.aliases) {
    if (alias.word == word) return {.key = &key, .alias = &alias, .moved = above};
  }
  if (above && key.flat && word == key.leaf()) return {.key = &key, .moved = true};
  return {};
}

/// How many edits still count as the same word: a third of it, at least 2, never all of it.
int tolerance(std::string_view word) {
  const int length = static_cast<int>(word.size());
  return std::min(std::max(2, length / 3), std::max(0, length - 1));
}

/// The nearest candidate so far.
struct Nearest {
  std::string name;
  int distance = 0;
  void offer(std::string_view candidate, int candidate_distance, int most) {
    if (candidate_distance > most) return;
    if (!name.empty() && candidate_distance >= distance) return;
    name = candidate;
    distance = candidate_distance;
  }
};

/// As edit_distance(), but a beginning of the word is near however much is missing.
int distance_to(std::string_view written, std::string_view known) {
  constexpr std::size_t kShortestBeginning = 4;
  const int distance = edit_distance(written, known);
  const bool beginning = written.size() >= kShortestBeginning && known.starts_with(written);
  return beginning ? std::min(distance, 2) : distance;
}

std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace

std::string join_path(std::string_view section, std::string_view word) {
  return section.empty() ? std::string(word) : std::string(section) + '.' + std::string(word);
}

KeyMatch match_key(std::string_view section, std::string_view word) {
  const std::string path = join_path(section, word);
  if (const KeySpec* key = find_key(path)) return {.key = key};
  if (const SectionSpec* found = find_section(path)) return {.section = found};
  // A dotted word may name its own section: `training.lr: 0.1`.
  if (const std::size_t dot = path.rfind('.'); dot != std::string::npos) {
    const std::string_view whole = path;
    section = whole.substr(0, dot);
    word = whole.substr(dot + 1);
  }
  for (const KeySpec& key : plan_schema()) {
    if (const KeyMatch match = match_as(key, section, word)) return match;
  }
  for (const SectionSpec& candidate : plan_sections()) {
    const std::string_view leaf = last_part(candidate.path);
    const std::string_view outer = candidate.path.substr(0, candidate.path.size() - leaf.size());
    if (candidate.flat && leaf == word && section.empty() && !outer.empty()) {
      return {.section = &candidate, .moved = true};
    }
  }
  return {};
}

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> before(width), last(width), now(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[width - 1];
}

std::string nearest_key(std::string_view section, std::string_view word) {
  constexpr std::size_t kLongestKey = 64;
  if (word.size() > kLongestKey) return {};
  const std::string path = join_path(section, word);
  section = std::string_view(path).substr(0, path.size() - last_part(path).size());
  if (section.ends_with('.')) section.remove_suffix(1);
  word = last_part(path);
  const int most = tolerance(word);
  Nearest nearest;
  // A word of the same mapping is likelier meant than the same word elsewhere.
  const auto offer = [&](std::string_view target, std::string_view home, std::string_view name) {
    const int elsewhere = home == section ? 0 : 1;
    nearest.offer(target, distance_to(word, name) * 2 + elsewhere, most * 2 + 1);
  };
  for (const SectionSpec& candidate : plan_sections()) {
    const std::string_view leaf = last_part(candidate.path);
    std::string_view home = candidate.path.substr(0, candidate.path.size() - leaf.size());
    if (home.ends_with('.')) home.remove_suffix(1);
    offer(candidate.path, home, leaf);
  }
  for (const KeySpec& key : plan_schema()) {
    offer(key.path, key.section(), key.leaf());
    for (const KeyAlias& alias : key.aliases) offer(key.path, key.section(), alias.word);
  }
  return nearest.name;
}

std::string nearest_word(std::string_view word, std::span<const Choice> choices) {
  Nearest nearest;
  if (word.size() > 64) return {};
  for (const Choice& choice : choices) {
    nearest.offer(choice.name, edit_distance(word, choice.name), tolerance(word));
  }
  return nearest.name;
}

}  // namespace headroom
