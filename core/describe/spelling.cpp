#include "core/describe/spelling.h"

#include "core/describe/plan_keys.h"

#include <algorithm>

namespace headroom {

std::string nearest_name(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) return {};
  std::string best;
  int limit = std::max(2, static_cast<int>(word.size()) / 3) + 1;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < limit && distance < static_cast<int>(std::max(word.size(), candidate.size()))) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string best = nearest_name(word, known);
  return best.empty() ? "" : " (did you mean " + best + "?)";
}

}  // namespace headroom
