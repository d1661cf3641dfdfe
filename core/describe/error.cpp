#include "core/describe/error.h"

#include "core/describe/spelling.h"

namespace headroom {

std::string to_string(const Problem& problem) {
  std::string text;
  if (!problem.where.file.empty()) {
    text += printable(problem.where.file);
    if (problem.where.line > 0) {
      text += ':' + std::to_string(problem.where.line);
      if (problem.where.column > 0) text += ':' + std::to_string(problem.where.column);
    }
    text += ": ";
  }
  if (!problem.key.empty()) text += printable(problem.key) + ": ";
  text += printable(problem.message);
  if (!problem.hint.empty()) text += " (" + printable(problem.hint) + ')';
  return text;
}

namespace {
std::string join(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += to_string(problem);
  }
  return text;
}
}  // namespace

ConfigError::ConfigError(std::vector<Problem> problems)
    : Error(join(problems), ExitCode::kUsage), problems_(std::move(problems)) {}

}  // namespace headroom
